"""What follows show on people's pages; importing this registers it there."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from apps.accounts import auth, panels, profile_counts
from apps.accounts.models import User
from apps.follows import graph, people
from apps.follows.models import Standing

#: Faces beside "you both follow".
FACES = 3


def follow_button(request: HttpRequest, person: User) -> str:
    """Follow, or following; nothing on one's own page."""
    me = auth.viewer_id(request)
    if me == person.pk:
        return ""
    followed = me is not None and bool(graph.follows_any(me, [person.pk]))
    about = {"person": person, "followed": followed, "counted": True}
    return render_to_string("follows/_button.html", about, request)


def common_follows(request: HttpRequest, person: User) -> str:
    """Whom both follow, the first few by face; nothing to a visitor, on one's own page, or where none is."""
    me = auth.viewer_id(request)
    if me is None or me == person.pk:
        return ""
    ids = graph.common(me, person.pk)
    faces = people.shown(ids[:FACES])
    if not faces:
        return ""
    about = {"person": person, "faces": faces, "others": len(ids) - len(faces)}
    return render_to_string("follows/_common.html", about, request)


def followers(user: User) -> int:
    return Standing.objects.of(user.pk).followers


def following(user: User) -> int:
    return Standing.objects.of(user.pk).following


panels.PERSON_HEAD.register(follow_button, order=10)
panels.PERSON_HEAD.register(common_follows, order=30)
profile_counts.register("followers", _("Followers"), followers, page="follows:followers")
profile_counts.register("following", _("Following"), following, page="follows:following")
