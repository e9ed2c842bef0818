"""Rate limits for saving, and for changing lists."""

from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from apps.redis_kit.limiter import Limit
from apps.web import rate_limits

#: A person who looks through a city, not a script.
SAVES_PER_MINUTE = Limit(name="minute", family="save", allowed=120, period=timedelta(minutes=1))
TOO_FAST = _("You are saving very fast. Wait a moment, then go on.")


def charge_save(user_id: int) -> None:
    """Count one change, or Problem 429; without Redis only the largest numbers of rows limit a person."""
    rate_limits.charge([(SAVES_PER_MINUTE, user_id)], TOO_FAST)
