"""Rate limits of reports and objections.

Without Redis nothing is refused: an open report is one row a person and thing.
"""

import logging
from datetime import timedelta

from django.utils.translation import gettext as _

from apps.redis_kit import client, limiter
from apps.redis_kit.limiter import Limit
from apps.web.problems import Problem

REPORTS = Limit(name="reports", family="moderation", allowed=20, period=timedelta(hours=1))
log = logging.getLogger(__name__)


def charge_report(user_id: int) -> None:
    """Count one report; raises Problem 429 over the limit."""
    try:
        verdict = limiter.hit([(REPORTS, user_id)])
    except client.UNAVAILABLE:
        log.warning("Redis is unavailable: a report of person %d is not counted", user_id)
        return
    if not verdict.allowed:
        sentence = _("You reported a lot within an hour. Try again later.")
        raise Problem(429, "too_many_requests", sentence, retry_after=verdict.retry_after)
