"""A filtered list leaves the admin as a CSV file: all of it, harmless, few at a time, and noted."""

import csv
import tracemalloc
from collections.abc import Callable
from io import StringIO
from typing import Any

import factory
import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from apps.accounts.models import User
from apps.adminkit import exports
from apps.coupons.models import FlashSale, Status, Voucher, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.redis_kit import client as redis_client
from apps.redis_kit import keys
from apps.shops.models import Shop
from tests import races
from tests.coupons import buyers
from tests.factories import VoucherFactory
from tests.redis_kit.locks import lock_waiters

pytestmark = pytest.mark.django_db(transaction=True)
ORDERS, VOUCHERS = "/admin/coupons/voucherorder/", "/admin/coupons/voucher/"
NAME = "semaphore:exports"


def parse_rows(answer: Any) -> list[dict[str, str]]:
    """The file's rows by title."""
    text = answer.getvalue().decode("utf-8-sig")
    return list(csv.DictReader(StringIO(text, newline="")))


def held_permits() -> int:
    return redis_client.get().zcard(keys.LOCK_HOLDERS(name=NAME))


def grant_permissions(user: User, *names: str) -> None:
    User.objects.filter(pk=user.pk).update(is_staff=True)
    user.user_permissions.add(*Permission.objects.filter(codename__in=names))


def create_vouchers(shop: Shop, count: int) -> None:
    titles = factory.Iterator(f"Tea {number}" for number in range(count))
    VoucherFactory.bulk_create(count, shop=shop, title_en=titles)


@pytest.mark.both_databases
def test_orders_are_a_file_a_spreadsheet_reads(boss: Client, sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    answer = boss.get(f"{ORDERS}export/")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"].startswith('attachment; filename="voucherorder-')
    whole: bytes = answer.getvalue()
    assert whole.startswith(b"\xef\xbb\xbforder,voucher,")
    assert order.redeem_code.encode() not in whole
    (row,) = csv.DictReader(StringIO(whole.decode("utf-8-sig"), newline=""))
    assert row["order"] == f"'{order.pk}"
    assert (row["voucher"], row["person"], row["status"]) == ("Noodles at half price", "Alice", "to pay")
    assert (row["price"], row["phone"]) == ("49.00", f"'{alice.phone}")
    assert row["paid"] == ""


@pytest.mark.both_databases
def test_what_the_list_does_not_show_is_not_in_the_file(
    boss: Client, sale: FlashSale, alice: User, bob: User
) -> None:
    lifecycle.mark_paid(buyers.create_order(sale, alice))
    buyers.create_order(sale, bob)
    narrow = f"?status__exact={Status.PAID}"
    assert f'href="{ORDERS}export/{narrow}"' in boss.get(f"{ORDERS}{narrow}").content.decode()
    assert [row["person"] for row in parse_rows(boss.get(f"{ORDERS}export/{narrow}"))] == ["Alice"]
    found = parse_rows(boss.get(f"{ORDERS}export/", {"q": bob.phone}))
    assert [row["person"] for row in found] == ["Bob"]


def test_every_row_is_there_once_and_a_page_is_one_query(
    boss: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "PAGE_ROWS", 10)
    create_vouchers(shop, 35)
    answer: Any = boss.get(f"{VOUCHERS}export/")
    with CaptureQueriesContext(
        connection,
    ) as asked:
        rows = parse_rows(answer)
    assert [row["title, in English"] for row in rows] == [f"Tea {number}" for number in reversed(range(35))]
    assert len(asked) <= 5


def test_a_long_list_needs_no_more_memory(boss: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "PAGE_ROWS", 50)

    def peak() -> int:
        answer: Any = boss.get(f"{VOUCHERS}export/")
        tracemalloc.start()
        for _ in answer.streaming_content:
            pass
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    create_vouchers(shop, 200)
    peak()
    few = peak()
    create_vouchers(shop, 2_000)
    assert peak() < 1.5 * few


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\n=1", "＝1"])
def test_no_cell_is_calculated(text: str) -> None:
    assert exports.format_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "Noodles", "1.50", "a=b", "2026-11-21 10:00:00", "面"])
def test_plain_cells_stay_as_they_are(text: str) -> None:
    assert exports.format_cell(text) == text


@given(st.text())
def test_whatever_people_write_is_one_cell_and_begins_no_formula(text: str) -> None:
    ((read,),) = csv.reader(StringIO(exports._csv_text([[text]]), newline=""))
    assert read in {text, f"'{text}"}
    assert not read.lstrip(" ").startswith(exports.FORMULA_PREFIXES)


def test_a_hostile_nickname_is_text(boss: Client, sale: FlashSale, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(nickname='=HYPERLINK("//x")')
    buyers.create_order(sale, alice)
    (row,) = parse_rows(boss.get(f"{ORDERS}export/"))
    assert row["person"] == """'=HYPERLINK("//x")"""


def test_who_may_look_may_not_take_it_all_along(client: Client, bob: User) -> None:
    grant_permissions(bob, "view_voucherorder")
    client.force_login(bob)
    assert client.get(ORDERS).status_code == 200
    assert "Export as CSV" not in client.get(ORDERS).content.decode()
    assert client.get(f"{ORDERS}export/").status_code == 403
    grant_permissions(bob, "export_voucherorder", "see_all_shops")
    client.force_login(User.objects.get(pk=bob.pk))
    assert "Export as CSV" in client.get(ORDERS).content.decode()
    assert client.get(f"{ORDERS}export/").status_code == 200
    assert client.get(f"{VOUCHERS}export/").status_code == 403


@pytest.mark.both_databases
def test_it_is_noted_who_took_what(boss: Client, manager: User) -> None:
    boss.get(f"{ORDERS}export/?status__exact=paid&q=138").close()
    noted = LogEntry.objects.get()
    assert (noted.user, noted.object_repr[:13]) == (manager, "voucherorder-")
    assert noted.change_message == "exported: status__exact=paid, q=138"


def test_a_filter_that_makes_no_sense_leads_back_to_the_list(boss: Client) -> None:
    answer = boss.get(f"{ORDERS}export/?id__exact=abc")
    assert (answer.status_code, answer["Location"]) == (302, "../?e=1")
    assert held_permits() == 0


@pytest.mark.both_databases
def test_the_third_hears_a_sentence_and_may_try_again(boss: Client) -> None:
    taken: list[Any] = [boss.get(f"{ORDERS}export/") for _ in range(2)]
    assert held_permits() == 2
    refused = boss.get(f"{ORDERS}export/?q=138", follow=True)
    assert refused.redirect_chain == [("../?q=138", 302)]
    assert "2 exports are running right now. Try again in a minute." in refused.content.decode()
    taken[0].close()
    assert held_permits() == 1, "its reader went away"
    assert boss.get(f"{ORDERS}export/").status_code == 200
    assert LogEntry.objects.count() == 3


def test_a_finished_file_gives_its_place_back(boss: Client) -> None:
    for _ in range(3):
        assert parse_rows(boss.get(f"{ORDERS}export/")) == []
    assert held_permits() == 0


def test_a_row_that_can_t_be_written_gives_the_place_back(
    boss: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_vouchers(shop, 1)
    monkeypatch.setattr(exports, "format_cell", lambda value: str(1 // len(str(value)[5:])))
    with pytest.raises(ZeroDivisionError):
        parse_rows(boss.get(f"{VOUCHERS}export/"))
    assert held_permits() == 0


def test_the_lease_is_renewed_while_it_streams(
    boss: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "PAGE_ROWS", 1)
    create_vouchers(shop, 3)
    answer: Any = boss.get(f"{VOUCHERS}export/")
    parts = iter(answer.streaming_content)
    next(parts)
    key = keys.LOCK_HOLDERS(name=NAME)
    found: Any = redis_client.get().zrange(key, 0, 0, withscores=True)
    member, ends = found[0]
    redis_client.get().zadd(key, {member: ends - 30_000})
    monkeypatch.setattr(exports, "LEASE_SECONDS", 0.0)
    next(parts)
    renewed = redis_client.get().zscore(key, member)
    assert renewed is not None
    assert renewed >= ends
    answer.close()


def test_who_stood_still_goes_on_while_a_place_is_free(
    boss: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "LEASE_SECONDS", 0.0)
    answer: Any = boss.get(f"{VOUCHERS}export/")
    lock_waiters.end_leases(NAME)
    assert parse_rows(answer) == []
    assert held_permits() == 0


def test_who_stood_still_too_long_gets_a_broken_file_not_a_short_one(
    boss: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer: Any = boss.get(f"{VOUCHERS}export/")
    lock_waiters.end_leases(NAME)
    others: list[Any] = [boss.get(f"{VOUCHERS}export/") for _ in range(2)]
    monkeypatch.setattr(exports, "LEASE_SECONDS", 0.0)
    with pytest.raises(exports.ExportInterrupted):
        parse_rows(answer)
    assert held_permits() == 2
    for other in others:
        other.close()


def test_of_ten_at_once_two_get_a_file(manager: User) -> None:
    def ask(_: int) -> Any:
        browser = Client()
        browser.force_login(manager)
        return browser.get(f"{VOUCHERS}export/")

    answers: list[Any] = races.race(10, ask)
    assert sorted(answer.status_code for answer in answers) == [200] * 2 + [302] * 8
    assert held_permits() == 2
    for answer in answers:
        answer.close()
    assert held_permits() == 0


def test_exports_go_on_while_redis_is_away(
    boss: Client, sale: FlashSale, alice: User, redis_away_now: Callable[[], None]
) -> None:
    buyers.create_order(sale, alice)
    redis_away_now()
    assert [row["person"] for row in parse_rows(boss.get(f"{ORDERS}export/"))] == ["Alice"]


@pytest.mark.both_databases
def test_a_file_speaks_the_language_of_who_asked(boss: Client, voucher: Voucher) -> None:
    answer: Any = boss.get(f"{VOUCHERS}export/", headers={"accept-language": "zh-hans"})
    (row,) = parse_rows(answer)
    assert (row["标题（英文）"], row["种类"]) == ("Noodles for two", "普通")


def test_a_sale_s_voucher_says_its_units(boss: Client, sale: FlashSale, voucher: Voucher) -> None:
    ordinary, flash = sorted(
        parse_rows(boss.get(f"{VOUCHERS}export/")), key=lambda row: row["kind"], reverse=True
    )
    assert (flash["kind"], flash["units"], flash["units left"]) == ("flash sale", "10", "10")
    assert (ordinary["kind"], ordinary["units"], ordinary["worth"]) == ("ordinary", "", "88.00")
    assert VoucherOrder.objects.count() == 0
