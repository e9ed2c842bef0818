"""Rate limits of chats, against people who write to strangers.

Without Redis nothing is refused: the limits guard against many rows, which SQL can take for a while.
"""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.redis_kit.limiter import Limit
from apps.web import rate_limits

ONE_HOUR, ONE_MINUTE = timedelta(hours=1), timedelta(minutes=1)
#: Messages to people who don't follow the sender, messages altogether, and in one moment.
TO_STRANGERS = Limit(name="strangers", family="chat", allowed=20, period=ONE_MINUTE)
MESSAGES = Limit(name="messages", family="chat", allowed=120, period=ONE_MINUTE)
#: New chats and invitations of an account that is new, and of any other.
FIRST_CHATS = Limit(name="first", family="chat", allowed=5, period=ONE_HOUR)
NEW_CHATS = Limit(name="chats", family="chat", allowed=60, period=ONE_HOUR)
PICTURES = Limit(name="pictures", family="chat", allowed=60, period=ONE_HOUR)
NEW_ACCOUNT_PERIOD = timedelta(days=1)
TOO_FAST = _("You send messages very fast. Wait a moment, then send it again.")
TOO_MANY_CHATS = _("You opened many chats within an hour. Try again later.")
TOO_MANY_PICTURES = _("You sent many pictures within an hour. Try again later.")


def charge_message(user_id: int, *, to_stranger: bool) -> None:
    """Count one message; raises Problem 429 over the limit."""
    limits = [TO_STRANGERS, MESSAGES] if to_stranger else [MESSAGES]
    rate_limits.charge([(limit, user_id) for limit in limits], TOO_FAST)


def charge_chat(user_id: int, joined_at: datetime) -> None:
    """Count one new chat of a person with an account since `joined_at`; raises Problem 429 over the limit."""
    is_new = timezone.now() - joined_at < NEW_ACCOUNT_PERIOD
    limits = [FIRST_CHATS, NEW_CHATS] if is_new else [NEW_CHATS]
    rate_limits.charge([(limit, user_id) for limit in limits], TOO_MANY_CHATS)


def charge_picture(user_id: int) -> None:
    """Count one picture; raises Problem 429 over the limit."""
    rate_limits.charge([(PICTURES, user_id)], TOO_MANY_PICTURES)
