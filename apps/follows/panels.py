"""What follows show on people's pages; importing this registers it there."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from apps.accounts import auth, panels
from apps.accounts.models import User
from apps.accounts.profiles.profile_counts import PROFILE_COUNTS, CountSource
from apps.follows import graph, person_lists
from apps.follows.models import Standing

#: Faces beside "you both follow".
MAX_AVATARS = 3


def follow_button(request: HttpRequest, person: User) -> str:
    """Follow, or following; nothing on one's own page."""
    me = auth.viewer_id(request)
    if me == person.pk:
        return ""
    followed = me is not None and bool(graph.followed_among(me, [person.pk]))
    about = {"person": person, "followed": followed, "counted": True}
    return render_to_string("follows/_button.html", about, request)


def common_follows(request: HttpRequest, person: User) -> str:
    """Whom both follow, the first few by face; nothing to a visitor, on one's own page, or where none is."""
    me = auth.viewer_id(request)
    if me is None or me == person.pk:
        return ""
    ids = graph.common_ids(me, person.pk)
    faces = person_lists.active_by_ids(ids[:MAX_AVATARS])
    if not faces:
        return ""
    about = {"person": person, "faces": faces, "others": len(ids) - len(faces)}
    return render_to_string("follows/_common_follows.html", about, request)


def count_followers(user: User) -> int:
    return Standing.objects.for_user(user.pk).followers


def count_following(user: User) -> int:
    return Standing.objects.for_user(user.pk).following


panels.PERSON_HEAD.register(follow_button, order=10)
panels.PERSON_HEAD.register(common_follows, order=30)
PROFILE_COUNTS.register(
    CountSource(_("Followers"), count_followers, page="follows:followers"), key="followers", order=10
)
PROFILE_COUNTS.register(
    CountSource(_("Following"), count_following, page="follows:following"), key="following", order=20
)
