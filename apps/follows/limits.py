"""Rate limits for following people."""

import logging
from datetime import timedelta

from django.utils.translation import gettext as _

from apps.redis_kit import client, limiter
from apps.redis_kit.limiter import Limit
from apps.web.problems import Problem

#: Enough for a person who reads through a list, too few for a script that follows to be followed back.
FOLLOWS_PER_MINUTE = Limit(name="minute", family="follow", allowed=60, period=timedelta(minutes=1))
FOLLOWS_PER_DAY = Limit(name="day", family="follow", allowed=500, period=timedelta(days=1))
log = logging.getLogger(__name__)


def charge_follow(user_id: int) -> None:
    """Count one follow; Problem 429 over the limit. Without Redis only graph.MAX_FOLLOWING limits follows."""
    try:
        verdict = limiter.hit([(FOLLOWS_PER_MINUTE, user_id), (FOLLOWS_PER_DAY, user_id)])
    except client.UNAVAILABLE:
        log.warning("Redis is unavailable: a follow by person %d is not counted", user_id)
        return
    if not verdict.allowed:
        message = _("You are following people too fast. Wait a while, then try again.")
        raise Problem(429, "too_many_requests", message, retry_after=verdict.retry_after)
