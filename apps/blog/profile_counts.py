"""Numbers on people's pages that notes know."""

from django.db.models import Sum
from django.utils.translation import npgettext

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


def label_notes(number: int) -> str:
    """Return the label of a number of notes."""
    return npgettext("number", "Note", "Notes", number)


def label_likes(number: int) -> str:
    """Return the label of a number of received likes."""
    return npgettext("received number", "Like", "Likes", number)


NOTES = CountSource(label_notes, count_notes, page="blog:person_notes")
LIKES = CountSource(label_likes, count_likes_received, page="blog:person_notes")
