"""How often a person may follow; numbers beside their names."""

import logging
from datetime import timedelta

from django.utils.translation import gettext as _

from apps.redis_kit import client, limiter
from apps.redis_kit.limiter import Limit
from apps.web.problems import Problem

#: A person who looks through a list, not a script that collects people who follow back.
FOLLOWS_PER_MINUTE = Limit(name="minute", family="follow", allowed=60, period=timedelta(minutes=1))
FOLLOWS_PER_DAY = Limit(name="day", family="follow", allowed=500, period=timedelta(days=1))
log = logging.getLogger(__name__)


def charge_follow(user_id: int) -> None:
    """Count one follow, or Problem 429. Open while Redis is away: graph.MOST bounds what that can do."""
    try:
        verdict = limiter.hit([(FOLLOWS_PER_MINUTE, user_id), (FOLLOWS_PER_DAY, user_id)])
    except client.UNAVAILABLE:
        log.warning("a follow of %d is not counted: Redis is away", user_id)
        return
    if not verdict.allowed:
        sentence = _("You follow people faster than one can read them. Wait a while, then go on.")
        raise Problem(429, "too_many_requests", sentence, retry_after=verdict.retry_after)
