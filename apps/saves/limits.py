"""Rate limits for saving, and for changing lists."""

import logging
from datetime import timedelta

from django.utils.translation import gettext as _

from apps.redis_kit import client, limiter
from apps.redis_kit.limiter import Limit
from apps.web.problems import Problem

#: A person who looks through a city, not a script.
SAVES_PER_MINUTE = Limit(name="minute", family="save", allowed=120, period=timedelta(minutes=1))
log = logging.getLogger(__name__)


def charge_save(user_id: int) -> None:
    """Count one change, or Problem 429; without Redis only the largest numbers of rows limit a person."""
    try:
        verdict = limiter.hit([(SAVES_PER_MINUTE, user_id)])
    except client.UNAVAILABLE:
        log.warning("Redis is unavailable: a save by person %d is not counted", user_id)
        return
    if not verdict.allowed:
        sentence = _("You are saving very fast. Wait a moment, then go on.")
        raise Problem(429, "too_many_requests", sentence, retry_after=verdict.retry_after)
