"""Panels for people's pages: follow button, common follows, counts; importing this module registers them."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from apps.accounts import panels
from apps.accounts.models import User
from apps.accounts.profiles.profile_counts import PROFILE_COUNTS, CountSource
from apps.follows.models import Standing


def follow_button(request: HttpRequest, person: User) -> str:
    """HTML of the follow button; the reader's own page doesn't show it."""
    context = {"person": person, "followed": None, "counted": True}
    return render_to_string("follows/_button.html", context, request)


def common_follows(_request: HttpRequest, person: User) -> str:
    """HTML of the place where people whom the reader follows too are named."""
    return render_to_string("follows/_common_follows_place.html", {"person": person})


def count_followers(user: User) -> int:
    """The number of people who follow the user."""
    return Standing.objects.for_user(user.pk).followers


def count_following(user: User) -> int:
    """The number of people whom the user follows."""
    return Standing.objects.for_user(user.pk).following


panels.PERSON_HEAD.register(follow_button, order=10)
panels.PERSON_HEAD.register(common_follows, order=30)
PROFILE_COUNTS.register(
    CountSource(_("Followers"), count_followers, page="follows:followers"), key="followers", order=10
)
PROFILE_COUNTS.register(
    CountSource(_("Following"), count_following, page="follows:following"), key="following", order=20
)
