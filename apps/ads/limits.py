"""Rate limits of ads, by viewer: far above what a reader does, far below what a script does."""

from datetime import timedelta

from apps.ads.serving import Viewer
from apps.redis_kit import client, limiter
from apps.redis_kit.limiter import Limit
from apps.web.problems import Problem

MINUTE = timedelta(minutes=1)
CHOICES = Limit(name="choices", family="ads", allowed=120, period=MINUTE)
EVENTS = Limit(name="events", family="ads", allowed=240, period=MINUTE)


def charge(limit: Limit, viewer: Viewer) -> None:
    """Count one request; Problem 429 over the limit. Without Redis there are no ads to ask for."""
    try:
        verdict = limiter.hit([(limit, viewer.key)])
    except client.UNAVAILABLE:
        return
    if not verdict.allowed:
        raise Problem(429, "too_many_requests", retry_after=verdict.retry_after)
