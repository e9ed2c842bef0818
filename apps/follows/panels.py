"""Panels for people's pages: follow button, common follows, counts; importing this module registers them."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from apps.accounts import auth, panels
from apps.accounts.models import User
from apps.accounts.profiles.profile_counts import PROFILE_COUNTS, CountSource
from apps.follows import graph, person_lists
from apps.follows.models import Standing

#: Avatars beside "you both follow".
MAX_AVATARS = 3


def follow_button(request: HttpRequest, person: User) -> str:
    """HTML of the follow button; "" on the viewer's own page."""
    me = auth.viewer_id(request)
    if me == person.pk:
        return ""
    followed = me is not None and bool(graph.followed_among(me, [person.pk]))
    context = {"person": person, "followed": followed, "counted": True}
    return render_to_string("follows/_button.html", context, request)


def common_follows(request: HttpRequest, person: User) -> str:
    """HTML of the people both follow; "" for a visitor, on the viewer's own page, or without any."""
    me = auth.viewer_id(request)
    if me is None or me == person.pk:
        return ""
    ids = graph.common_ids(me, person.pk)
    people = person_lists.active_by_ids(ids[:MAX_AVATARS])
    if not people:
        return ""
    context = {"person": person, "people": people, "others": len(ids) - len(people)}
    return render_to_string("follows/_common_follows.html", context, request)


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
