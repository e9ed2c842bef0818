"""What can be reported of a person: the person, whose name and words are reset, and their picture; and what
happens to reports and decisions when an account is deleted.
"""

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from apps.accounts import access
from apps.accounts.deletion.rules import BATCH_SIZE, Erasure, clear_batch, export_rows
from apps.accounts.models import User, new_nickname
from apps.accounts.profiles import avatars, editing
from apps.moderation.kinds import ReportableKind, Subject
from apps.moderation.models import Case, Decision, Reason, Report
from apps.web import object_urls


class PersonKind(ReportableKind):
    """A person: hiding resets name, words about themselves and picture."""

    label = _("person")
    without_reasons = frozenset({Reason.WRONG_SHOP.value})

    def find(self, target_id: int, _reader: User) -> Subject:
        person = access.person(target_id)
        return Subject(person.pk, "\n".join(filter(None, [person.nickname, person.bio])), _url(person))

    def hide(self, target_id: int) -> dict[str, Any]:
        person = _load(target_id)
        before = {"nickname": person.nickname, "bio": person.bio, "avatar": avatars.set_aside(person)}
        editing.reset_profile(person, nickname=new_nickname(), bio="")
        return before

    def restore(self, target_id: int, before: Mapping[str, Any]) -> None:
        person = _load(target_id)
        avatars.bring_back(person, before["avatar"])
        editing.reset_profile(person, nickname=before["nickname"], bio=before["bio"])

    def describe(self, target_id: int) -> str:
        return _describe(target_id)


class AvatarKind(ReportableKind):
    """A person's picture: hiding removes it."""

    label = _("profile picture")
    without_reasons = frozenset({Reason.WRONG_SHOP.value})

    def find(self, target_id: int, _reader: User) -> Subject:
        person = access.person(target_id)
        if not person.avatar:
            raise Http404
        return Subject(person.pk, person.nickname, _url(person))

    def hide(self, target_id: int) -> dict[str, Any]:
        person = _load(target_id)
        if not person.avatar:
            raise Http404
        before = {"avatar": avatars.set_aside(person)}
        editing.reset_profile(person)
        return before

    def restore(self, target_id: int, before: Mapping[str, Any]) -> None:
        person = _load(target_id)
        avatars.bring_back(person, before["avatar"])
        editing.reset_profile(person)

    def describe(self, target_id: int) -> str:
        return _describe(target_id)


def _load(person_id: int) -> User:
    found = User.objects.select_for_update(no_key=True).filter(pk=person_id).first()
    if found is None:
        raise Http404
    return found


def _url(person: User) -> str:
    return object_urls.build("accounts:person", person.pk)


def _describe(person_id: int) -> str:
    person = User.objects.filter(pk=person_id).first()
    if person is None:
        return ""
    return render_to_string("admin/moderation/_person.html", {"person": person})


def purge_person(user_id: int) -> int:
    """Take the person, and what they wrote, out of the cases about them, and their name off decisions."""
    cases = list(Case.objects.filter(author=user_id).values_list("pk", flat=True)[:BATCH_SIZE])
    Decision.objects.filter(case__in=cases).update(objection="")
    done = Case.objects.filter(pk__in=cases).update(author=None, excerpt="")
    for name in ("decided_by", "undone_by"):
        done += clear_batch(Decision.objects.filter(**{name: user_id}), name)
    return done


def export_person(user_id: int) -> dict[str, Any]:
    """What the person reported."""
    mine = Report.objects.filter(reporter=user_id)
    return {"reports": export_rows(mine, "case__kind", "case__target_id", "reason", "text", "created_at")}


ERASURE = Erasure(
    purge=purge_person,
    kept={
        f"{Report._meta.label}.reporter": _(
            "What you reported to the moderators, without your name, so that they can act on it."
        )
    },
    export=export_person,
)
