"""How much a person may send that staff has to read."""

from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from apps.redis_kit.limiter import Limit
from apps.web import rate_limits

CLAIMS = Limit(name="claims", family="shop_people", allowed=10, period=timedelta(days=1))
TOO_MANY = _("You have sent a lot today. Go on tomorrow.")
#: Claims and proposals of one person that wait at once.
MAX_OPEN = 5


def charge_claim(user_id: int) -> None:
    """Count one claim or proposal; Problem 429 past the limit. Without Redis nothing is refused."""
    rate_limits.charge([(CLAIMS, user_id)], TOO_MANY)
