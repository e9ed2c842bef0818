"""The registry of pages."""

import pytest
from django.urls import resolve

from apps.uv import page_kinds
from apps.uv.page_kinds import Scope


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        ("/", Scope("home")),
        ("/shops/", Scope("shops")),
        ("/shops/7/", Scope("shop", 7)),
        ("/notes/9/", Scope("note", 9)),
        ("/feed/", Scope("feed")),
        ("/sales/", Scope("sales")),
        ("/login/", Scope("other")),
    ],
)
def test_owners_have_said_what_their_pages_are(path: str, scope: Scope) -> None:
    assert page_kinds.resolve_scope(resolve(path)) == scope


def test_an_answer_without_an_address_is_another() -> None:
    assert page_kinds.resolve_scope(None) == Scope("other")


def test_every_kind_can_be_asked_for() -> None:
    assert {"shop", "note"} == set(page_kinds.object_kinds())
    for kind in page_kinds.kinds():
        assert page_kinds.parse_scope(kind) == Scope(kind)
    assert page_kinds.parse_scope("") == page_kinds.parse_scope("site") == Scope("site")
    assert page_kinds.parse_scope("note:5") == Scope("note", 5)


@pytest.mark.parametrize("kind", ["site", "other", "", "A", "a b", "{x}", "a" * 21])
def test_a_kind_that_could_be_taken_for_something_else_is_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="kind of page"):
        page_kinds.PageKind(kind)
