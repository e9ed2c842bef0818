"""What can be saved: a shop or a note."""

from typing import Literal, NamedTuple

from django.http import Http404
from django.utils.translation import gettext as _

from apps.blog.models import Note
from apps.saves.models import Save
from apps.shops.lists import query_params
from apps.web import object_urls
from apps.web.problems import Problem

Kind = Literal["shop", "note"]
KINDS: tuple[Kind, Kind] = ("shop", "note")


class Subject(NamedTuple):
    """A shop or a note by its id."""

    kind: Kind
    pk: int

    @property
    def columns(self) -> dict[str, int]:
        """The column of Save that names it: {"shop_id": 7}."""
        return {f"{self.kind}_id": self.pk}

    @property
    def page_url(self) -> str:
        """Its own page."""
        return object_urls.build("shops:detail" if self.kind == "shop" else "blog:note", self.pk)

    @property
    def member(self) -> int:
        """Its member in the set of what a person saved."""
        return self.pk if self.kind == "shop" else -self.pk


def parse(kind: str, subject_id: int) -> Subject:
    """The subject that an address names; Http404 for another kind."""
    for known in KINDS:
        if kind == known:
            return Subject(known, subject_id)
    raise Http404


def subject_of(row: Save) -> Subject:
    """What a save keeps."""
    return Subject("shop", row.shop_id) if row.shop_id else Subject("note", row.note_id or 0)


def require(subject: Subject) -> None:
    """Refuse what can't be seen: Problem 404, or 503 busy."""
    if subject.kind == "shop":
        query_params.load_shop(subject.pk)
    elif not Note.objects.published().filter(pk=subject.pk).exists():
        raise Problem(404, "not_found", _("This note is not here, or no longer."))
