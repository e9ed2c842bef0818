"""Rate limits of reports and objections.

Without Redis nothing is refused: an open report is one row a person and thing.
"""

from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from apps.redis_kit.limiter import Limit
from apps.web import rate_limits

REPORTS = Limit(name="reports", family="moderation", allowed=20, period=timedelta(hours=1))
TOO_MANY = _("You reported a lot within an hour. Try again later.")


def charge_report(user_id: int) -> None:
    """Count one report; raises Problem 429 over the limit."""
    rate_limits.charge([(REPORTS, user_id)], TOO_MANY)
