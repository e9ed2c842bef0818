"""Numbers on people's pages that follows know."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.accounts.profiles.profile_counts import CountSource
from apps.follows.models import Standing


def count_followers(user: User) -> int:
    """The number of people who follow the user."""
    return Standing.objects.for_user(user.pk).followers


def count_following(user: User) -> int:
    """The number of people whom the user follows."""
    return Standing.objects.for_user(user.pk).following


FOLLOWERS = CountSource(_("Followers"), count_followers, page="follows:followers")
FOLLOWING = CountSource(_("Following"), count_following, page="follows:following")
