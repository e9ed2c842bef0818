"""Rate limit for check-ins and make-ups."""

from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from apps.redis_kit import limiter
from apps.web import rate_limits

#: One check-in a day suffices, so the limit stops only a program that loops.
ATTEMPTS = limiter.Limit(name="tries", family="signins", allowed=30, period=timedelta(minutes=1))
TOO_OFTEN = _("That was very often. Wait a moment, then try again.")


def charge(user_id: int) -> None:
    """Count one attempt.

    Raises Problem 429 over the limit. Without Redis nothing is refused: SQL decides anyway.
    """
    rate_limits.charge([(ATTEMPTS, user_id)], TOO_OFTEN)
