"""Rate limits for following people."""

from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from apps.redis_kit.limiter import Limit
from apps.web import rate_limits

#: Enough for a person who reads through a list, too few for a script that follows to be followed back.
FOLLOWS_PER_MINUTE = Limit(name="minute", family="follow", allowed=60, period=timedelta(minutes=1))
FOLLOWS_PER_DAY = Limit(name="day", family="follow", allowed=500, period=timedelta(days=1))
TOO_FAST = _("You are following people too fast. Wait a while, then try again.")


def charge_follow(user_id: int) -> None:
    """Count one follow; Problem 429 over the limit. Without Redis only graph.MAX_FOLLOWING limits follows."""
    rate_limits.charge([(FOLLOWS_PER_MINUTE, user_id), (FOLLOWS_PER_DAY, user_id)], TOO_FAST)
