"""Limits of ads, by viewer and by network: far above what a reader does, far below what a script does."""

from datetime import timedelta

from apps.ads.viewer import Viewer
from apps.redis_kit.limiter import Limit
from apps.web import rate_limits

MINUTE = timedelta(minutes=1)
CHOICES = Limit(name="choices", family="ads", allowed=120, period=MINUTE)
EVENTS = Limit(name="events", family="ads", allowed=240, period=MINUTE)

#: Events that a campaign pays for in a day at most, from one address (an IPv6 /64) and from the IPv4 /24 or
#: IPv6 /48 around it; an action is an order that somebody paid. More are kept apart as invalid.
MAX_PAID_A_DAY = {"view": (120, 600), "click": (5, 25), "action": (0, 0)}


def charge(limit: Limit, viewer: Viewer) -> None:
    """Count one request; Problem 429 over the limit. Without Redis there are no ads to ask for."""
    rate_limits.charge([(limit, viewer.key)])
