"""Rate limits for notes, edits, likes, comments and photos.

Without Redis nothing is refused: the limits guard against many rows, which SQL can take for a while.
"""

from dataclasses import replace
from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from apps.blog.live_settings import NOTES
from apps.redis_kit.limiter import Limit
from apps.web import rate_limits

ONE_HOUR = timedelta(hours=1)
NEW_NOTES = Limit(name="notes", family="blog", allowed=10, period=ONE_HOUR)
#: Saves, publications and undone deletions of existing notes; each may start a fan-out to all followers.
EDITS = Limit(name="edits", family="blog", allowed=60, period=ONE_HOUR)
LIKES = Limit(name="likes", family="blog", allowed=60, period=timedelta(minutes=1))
COMMENTS = Limit(name="comments", family="blog", allowed=20, period=timedelta(minutes=1))
PHOTOS = Limit(name="photos", family="blog", allowed=60, period=ONE_HOUR)
TOO_OFTEN = _("You have done this too often. Please wait a while and try again.")


def new_notes() -> Limit:
    """The limit of new notes, as operators have set it."""
    return replace(NEW_NOTES, allowed=NOTES.current().notes_per_hour)


def comments() -> Limit:
    """The limit of comments, as operators have set it."""
    return replace(COMMENTS, allowed=NOTES.current().comments_per_minute)


def charge(limit: Limit, user_id: int) -> None:
    """Count one action of a person; raises Problem 429 over the limit."""
    rate_limits.charge([(limit, user_id)], TOO_OFTEN)
