"""Follows by the dozen."""

from collections.abc import Iterable

from django.db.models import F

from apps.accounts.models import User
from apps.follows.models import Follow, Standing
from tests.factories import FollowFactory


def make_follows(followers: Iterable[User], followees: Iterable[User]) -> None:
    """Everybody of the first follows everybody of the second, with right counts."""
    pairs = [(one, other) for one in followers for other in followees if one != other]
    Follow.objects.bulk_create(FollowFactory.build(follower=one, followee=other) for one, other in pairs)
    everybody = {user.pk for pair in pairs for user in pair}
    Standing.objects.bulk_create([Standing(pk=pk) for pk in everybody], ignore_conflicts=True)
    for one, other in pairs:
        Standing.objects.filter(pk=one.pk).update(following=F("following") + 1)
        Standing.objects.filter(pk=other.pk).update(followers=F("followers") + 1)
