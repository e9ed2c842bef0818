"""Numbers on people's pages that follows know."""

from django.utils.translation import gettext, npgettext

from apps.accounts.models import User
from apps.accounts.profiles.profile_counts import CountSource
from apps.follows.models import Standing


def count_followers(user: User) -> int:
    """The number of people who follow the user."""
    return Standing.objects.for_user(user.pk).followers


def count_following(user: User) -> int:
    """The number of people that the user follows."""
    return Standing.objects.for_user(user.pk).following


def label_followers(number: int) -> str:
    """The label of a number of followers."""
    return npgettext("number", "Follower", "Followers", number)


def label_following(_number: int) -> str:
    """The label of a number of followed people."""
    return gettext("Following")


FOLLOWERS = CountSource(label_followers, count_followers, page="follows:followers")
FOLLOWING = CountSource(label_following, count_following, page="follows:following")
