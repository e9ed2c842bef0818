"""What managers paste into the search boxes of the admin."""

import pytest
from django.contrib import admin
from django.test import Client

from apps.accounts.models import User
from apps.adminkit.plain_search import PlainSearch, to_plain_term


@pytest.mark.parametrize(
    ("typed", "term"),
    [
        ("8613800000001", "8613800000001"),
        ("\u202a+86 138 0000 0001\u202c", "+8613800000001"),
        ("(+86) 138-0000-0001", "+8613800000001"),
        ("１３８ ００００ ０００１", "13800000001"),
        (" Alice\u200b ", "Alice"),
        ("No. 12", "No. 12"),
        ("2026-11", "2026-11"),
        ("2026-11-03", "2026-11-03"),
        ("+65 9123 4567", "+6591234567"),
    ],
)
def test_a_term_has_a_plain_form(typed: str, term: str) -> None:
    assert to_plain_term(typed) == term


def test_every_list_that_is_searched_by_phone_takes_pasted_ones() -> None:
    lists = [
        shown
        for shown in admin.site._registry.values()
        if any("phone" in str(name) for name in shown.search_fields)
    ]
    assert len(lists) > 10
    assert [shown for shown in lists if not isinstance(shown, PlainSearch)] == []


@pytest.mark.parametrize("typed", ["8613800000001", "\u202a+86 138 0000 0001\u202c", "13800000001"])
def test_a_person_is_found_by_a_pasted_phone(boss: Client, alice: User, typed: str) -> None:
    page = boss.get("/admin/accounts/user/", {"q": typed})
    assert [row.pk for row in page.context["cl"].result_list] == [alice.pk]
