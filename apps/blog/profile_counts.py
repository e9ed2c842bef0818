"""Numbers on people's pages that notes know."""

from django.db.models import Sum
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts.models import User
from apps.accounts.profiles.profile_counts import CountSource
from apps.blog.models import Note


def count_notes(user: User) -> int:
    """Return the number of published notes of a person."""
    return Note.objects.published().filter(author=user).count()


def count_likes_received(user: User) -> int:
    """Return the number of likes of all published notes of a person."""
    mine = Note.objects.published().filter(author=user)
    return int(mine.aggregate(many=Sum("likes", default=0))["many"])


NOTES = CountSource(_("Notes"), count_notes, page="blog:person_notes")
LIKES = CountSource(pgettext_lazy("received", "Likes"), count_likes_received, page="blog:person_notes")
