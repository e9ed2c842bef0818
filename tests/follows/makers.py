"""People by the dozen."""

from collections.abc import Iterable
from typing import Any

from django.db.models import F

from apps.accounts.models import User
from apps.follows.models import Follow, Standing


def make_people(many: int, **fields: Any) -> list[User]:
    """So many new people, in order of id."""
    taken = User.objects.count()
    people = [
        User(phone=f"+86139{taken + number:08}", nickname=f"Person {taken + number}", **fields)
        for number in range(many)
    ]
    return User.objects.bulk_create(people)


def make_follows(followers: Iterable[User], followees: Iterable[User]) -> None:
    """Everybody of the first follows everybody of the second, with right counts."""
    pairs = [(one, other) for one in followers for other in followees if one != other]
    Follow.objects.bulk_create(Follow(follower=one, followee=other) for one, other in pairs)
    everybody = {user.pk for pair in pairs for user in pair}
    Standing.objects.bulk_create([Standing(pk=pk) for pk in everybody], ignore_conflicts=True)
    for one, other in pairs:
        Standing.objects.filter(pk=one.pk).update(following=F("following") + 1)
        Standing.objects.filter(pk=other.pk).update(followers=F("followers") + 1)
