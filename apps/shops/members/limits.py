"""How many phone numbers an owner may try: a list of a shop's people, and no search for accounts."""

from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from apps.redis_kit import limiter
from apps.web import rate_limits

LOOK_UPS = limiter.Limit(name="phones", family="shop_people", allowed=30, period=timedelta(hours=1))
TOO_MANY = _("You tried many numbers. Wait a while, then go on.")


def charge_look_up(user_id: int) -> None:
    """Count one phone number; Problem 429 past the limit.

    Raises client.UNAVAILABLE: without a limit the answers would tell who has an account.
    """
    rate_limits.require(limiter.hit([(LOOK_UPS, user_id)]), TOO_MANY)
