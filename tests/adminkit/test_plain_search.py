"""What managers paste into the search boxes of the admin."""

import pytest
from django.contrib import admin
from django.test import Client

from apps.accounts.models import User
from apps.adminkit.plain_search import PlainSearch, list_forms, to_plain_term
from apps.outbox.models import Message
from tests.factories import VoucherOrderFactory


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


PHONES = [
    *(
        "8613800000001",
        "\u202a+86 138 0000 0001\u202c",
        "13800000001",
        "138-0000-0001",
        "(+86) 138 0000 0001",
    ),
    *("0086 13800000001", "１３８０００００００１", " 138.0000.0001 "),
]


@pytest.mark.parametrize("typed", PHONES)
def test_a_person_is_found_by_a_pasted_phone(boss: Client, alice: User, typed: str) -> None:
    page = boss.get("/admin/accounts/user/", {"q": typed})
    assert [row.pk for row in page.context["cl"].result_list] == [alice.pk]


@pytest.mark.parametrize("typed", PHONES)
def test_a_pasted_phone_finds_orders_and_messages_too(boss: Client, alice: User, typed: str) -> None:
    order = VoucherOrderFactory.create(user=alice)
    message = Message.objects.create(to=alice.phone, channel="sms", text="Your code", key="code:1")
    for address, row in (("coupons/voucherorder", order), ("outbox/message", message)):
        page = boss.get(f"/admin/{address}/", {"q": typed})
        assert [found.pk for found in page.context["cl"].result_list] == [row.pk], address


@pytest.mark.parametrize("typed", ["Zoë", "Zoe\u0308", "Ｚｏë"])
def test_letters_are_found_in_each_form_of_unicode(boss: Client, alice: User, typed: str) -> None:
    User.objects.filter(pk=alice.pk).update(nickname="Zoë")
    page = boss.get("/admin/accounts/user/", {"q": typed})
    assert [row.pk for row in page.context["cl"].result_list] == [alice.pk]
    assert list_forms("plain") == ["plain"]
