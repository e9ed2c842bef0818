"""Rate limits of ads, by viewer: far above what a reader does, far below what a script does."""

from datetime import timedelta

from apps.ads.serving import Viewer
from apps.redis_kit.limiter import Limit
from apps.web import rate_limits

MINUTE = timedelta(minutes=1)
CHOICES = Limit(name="choices", family="ads", allowed=120, period=MINUTE)
EVENTS = Limit(name="events", family="ads", allowed=240, period=MINUTE)


def charge(limit: Limit, viewer: Viewer) -> None:
    """Count one request; Problem 429 over the limit. Without Redis there are no ads to ask for."""
    rate_limits.charge([(limit, viewer.key)])
