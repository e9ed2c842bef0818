from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import entries, seckill
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.orders import recording, redeem_codes
from apps.coupons.orders.recording import Row
from tests.factories import UserFactory

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
DEADLINE = NOON + timedelta(minutes=15, microseconds=1)
LARGEST = 2**63 - 1


@pytest.fixture
def accepted(sale: FlashSale, alice: User, bob: User) -> list[entries.AcceptedOrder]:
    for person in (alice, bob):
        seckill.claim(sale.pk, user_id=person.pk, request_token="t")
    return list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))


def units_left(sale: FlashSale) -> int:
    sale.refresh_from_db()
    return sale.stock_left


@pytest.mark.both_databases
def test_accepted_orders_become_rows_and_take_their_units(
    sale: FlashSale, accepted: list[entries.AcceptedOrder]
) -> None:
    assert recording.record(accepted) == recording.BatchResult(new=2, refused={})
    assert units_left(sale) == 8
    order = VoucherOrder.objects.get(pk=accepted[0].order_id)
    assert (order.user_id, order.voucher_id, order.price, order.status) == (
        accepted[0].user_id,
        sale.pk,
        4_900,
        "unpaid",
    )
    assert order.accepted_at == accepted[0].accepted_at


@pytest.mark.both_databases
def test_entries_delivered_again_change_nothing(
    sale: FlashSale, accepted: list[entries.AcceptedOrder]
) -> None:
    recording.record(accepted)
    again = [recording.record(accepted + accepted) for _ in range(3)]
    assert again == [recording.BatchResult(new=0, refused={})] * 3
    assert units_left(sale) == 8


@pytest.mark.both_databases
def test_sql_has_the_last_word_on_stock(sale: FlashSale, accepted: list[entries.AcceptedOrder]) -> None:
    FlashSale.objects.filter(pk=sale.pk).update(stock_left=1, stock_total=1)
    with pytest.raises(recording.OrderRefused, match="fewer than 2 units"):
        recording.record(accepted)
    assert VoucherOrder.objects.count() == 0
    assert units_left(sale) == 1


def collect_refusals(*accepted: entries.AcceptedOrder) -> list[str]:
    """Why each of them can't be a row; the others are."""
    found = recording.record(accepted).refused
    return [str(found[one]) for one in accepted if one in found]


@pytest.mark.both_databases
def test_sql_has_the_last_word_on_one_per_person(
    sale: FlashSale, accepted: list[entries.AcceptedOrder]
) -> None:
    recording.record(accepted[:1])
    second = accepted[0]._replace(order_id=accepted[1].order_id + 1, token="other")
    same_request = second._replace(order_id=second.order_id + 1, token=accepted[0].token)
    why = f"person {second.user_id} has another order of voucher {sale.pk}"
    assert collect_refusals(second, accepted[1], same_request) == [why, why]
    assert VoucherOrder.objects.count() == 2
    assert units_left(sale) == 8


@pytest.mark.both_databases
def test_of_two_orders_of_a_person_in_one_batch_the_first_goes_in(
    sale: FlashSale, accepted: list[entries.AcceptedOrder]
) -> None:
    second = accepted[0]._replace(order_id=accepted[1].order_id + 1, token="other")
    assert recording.record([second, *accepted]).refused.keys() == {second}
    assert units_left(sale) == 8


@pytest.mark.both_databases
def test_an_order_of_somebody_else_is_not_taken_for_done(
    sale: FlashSale, accepted: list[entries.AcceptedOrder]
) -> None:
    forged = accepted[0]._replace(user_id=accepted[1].user_id)
    for _ in range(2):
        assert collect_refusals(accepted[0], forged) == [f"order {forged.order_id} belongs to somebody else"]
        assert collect_refusals(forged) == [f"order {forged.order_id} belongs to somebody else"]
    assert units_left(sale) == 9


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_missing_person_fails_the_whole_batch(
    sale: FlashSale, accepted: list[entries.AcceptedOrder]
) -> None:
    with pytest.raises(IntegrityError):
        recording.record([*accepted, accepted[0]._replace(order_id=1 << 62, user_id=2**63 - 1)])
    assert VoucherOrder.objects.count() == 0
    assert units_left(sale) == 10


@pytest.mark.both_databases
def test_an_entry_without_a_sale_is_refused(sale: FlashSale, accepted: list[entries.AcceptedOrder]) -> None:
    strange = accepted[0]._replace(voucher_id=999_999)
    assert collect_refusals(strange) == ["voucher 999999 has no flash sale"]
    assert VoucherOrder.objects.count() == 0


@pytest.mark.both_databases
def test_nothing_to_record(sale: FlashSale) -> None:
    assert recording.record([]) == recording.BatchResult(new=0, refused={})


def test_each_order_has_a_code_of_its_own() -> None:
    codes = redeem_codes.draw(1_000)
    assert len(set(codes)) == len(codes)
    assert all(redeem_codes.CODE_PATTERN.fullmatch(code) for code in codes)
    assert set("".join(codes)) == set(redeem_codes.ALPHABET), "every character comes"


@pytest.mark.parametrize(
    "bent",
    [
        {"v": "2"},
        {"order": ""},
        {"order": "-1"},
        {"order": "１"},
        {"order": str(2**63)},
        {"user": "1.5"},
        {"at": "NaN"},
        {"at": str(2**62)},
        {"token": "a b"},
        {"token": "x" * 65},
        {"voucher": "9" * 5_000},
    ],
)
def test_an_entry_that_says_no_order_is_malformed(bent: dict[str, str]) -> None:
    fields = {"v": "1", "order": "1", "voucher": "1", "user": "1", "token": "t", "at": "1", "epoch": "1"}
    assert entries.parse(fields).order_id == 1
    with pytest.raises(entries.MalformedEntry):
        entries.parse(fields | bent)


SIGNATURE = "0" * 32


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("", "token"),
        (":", "token"),
        ("1", "token"),
        ("1:1", "token"),
        ("1:1:", "token"),
        ("1:1:a\x00b:", "token"),
        (f"1:1:{'x' * 65}:{SIGNATURE}", "token"),
        (f":1:t:{SIGNATURE}", "order is ''"),
        (f"１:1:t:{SIGNATURE}", "order is"),
        (f"{2**63}:1:t:{SIGNATURE}", "order is"),
        (f"1\x00:1:t:{SIGNATURE}", "order is"),
        (f"1:-1:t:{SIGNATURE}", "user is"),
        (f"1:1:t:{SIGNATURE}:", "piece is ''"),
        (f"1:1:t:{SIGNATURE}:20", "piece is 20"),
        (f"1:1:t:{SIGNATURE}:1:1", "piece is '1:1'"),
        (f"1:1:t:{SIGNATURE}:{':' * 500}", "piece is"),
    ],
)
def test_an_order_that_cant_be_read_keeps_no_other_of_its_entry_back(part: str, reason: str) -> None:
    good = f"7:5:t:{SIGNATURE}"
    fields = {"v": "2", "voucher": "3", "at": "1", "epoch": "1", "orders": f"{good} {part} {good}:1"}
    first, strange, last = entries.parse_each(fields)
    assert isinstance(strange, entries.MalformedEntry)
    assert str(strange).startswith(reason)
    accepted_at = datetime.fromtimestamp(0.001, tz=UTC)
    assert [first, last] == [
        entries.AcceptedOrder(7, 3, 5, "t", accepted_at, 1, is_signed=False, piece=piece) for piece in (0, 1)
    ]
    assert entries.count_orders(fields) == len(entries.split(fields)) == 3
    assert all(entries.count_orders(one) == 1 for one in entries.split(fields)), "they are split once"
    assert entries.list_numbers(fields)[::2] == ["7", "7"]


@pytest.mark.parametrize(
    "bent", [{"voucher": "x"}, {"at": ""}, {"at": str(2**62)}, {"epoch": str(2**63)}, {"orders": ""}]
)
def test_what_all_orders_of_an_entry_share_is_read_as_strictly(bent: dict[str, str]) -> None:
    fields = {"v": "2", "voucher": "3", "at": "1", "epoch": "1", "orders": f"7:5:t:{SIGNATURE} 8:6:t:"}
    assert all(isinstance(one, entries.AcceptedOrder) for one in entries.parse_each(fields))
    assert all(isinstance(one, entries.MalformedEntry) for one in entries.parse_each(fields | bent))
    for name in bent:
        assert all(
            isinstance(one, entries.MalformedEntry)
            for one in entries.parse_each({key: value for key, value in fields.items() if key != name})
        )


def test_both_versions_say_the_same_order(sale: FlashSale, alice: User) -> None:
    seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
    [(_, packed)] = entries.iter_raw_entries(keys.for_sale(sale.pk).orders)
    [alone] = entries.split(packed)
    assert (packed["v"], alone["v"]) == ("2", "1")
    assert entries.split(alone) == [alone]
    assert entries.parse_each(packed) == entries.parse_each(alone) == [entries.parse(alone)]
    assert entries.parse(alone).is_signed
    assert not entries.parse(dict(alone) | {"user": str(alice.pk + 1)}).is_signed


@pytest.fixture
def of_alice(sale: FlashSale, alice: User) -> Row:
    return Row(
        id=1 << 58,
        token="first",
        user_id=alice.pk,
        voucher_id=sale.pk,
        price=4_900,
        currency="CNY",
        epoch=3,
        accepted_at=NOON - timedelta(microseconds=1_000),
        redeem_code="codeofalice",
        valid_until=NOON + timedelta(days=30),
        piece=1,
    )


@pytest.fixture
def of_bob(of_alice: Row, bob: User) -> Row:
    return of_alice._replace(id=of_alice.id + 32, user_id=bob.pk, redeem_code="code-of-bob", valid_until=None)


def insert(rows: Sequence[Row]) -> set[int]:
    return recording.insert_rows(rows, pay_deadline=DEADLINE)


def read_rows() -> list[Row]:
    return [Row(*found) for found in VoucherOrder.objects.order_by("id").values_list(*Row._fields)]


@pytest.mark.both_databases
def test_rows_are_written_as_they_are_and_to_be_paid(of_alice: Row, of_bob: Row) -> None:
    assert insert([of_alice, of_bob]) == {of_alice.id, of_bob.id}
    assert read_rows() == [of_alice, of_bob]
    order = VoucherOrder.objects.get(pk=of_alice.id)
    assert (order.status, order.paid_at, order.cancelled_at) == ("unpaid", None, None)
    assert timezone.now() - order.created_at < timedelta(minutes=1)
    # Compared by the database: as text, on SQLite.
    assert VoucherOrder.objects.filter(pay_deadline=DEADLINE, accepted_at=of_alice.accepted_at).count() == 2
    assert VoucherOrder.objects.overdue(DEADLINE).count() == 2
    assert VoucherOrder.objects.overdue(DEADLINE - timedelta(microseconds=1)).count() == 0


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "conflict",
    [
        {},
        {"user_id": 0},
        {"id": 5, "token": "other", "redeem_code": "other"},
        {"id": 5, "user_id": 0, "redeem_code": "codeofalice"},
    ],
    ids=["again", "id of another", "second of a person", "code of another"],
)
def test_what_a_constraint_refuses_is_left_out_and_the_others_go_in(
    conflict: dict[str, Any], of_alice: Row, of_bob: Row, charlie: User
) -> None:
    insert([of_alice])
    if "user_id" in conflict:
        conflict |= {"user_id": charlie.pk}
    odd = of_alice._replace(**conflict)
    assert insert([odd, of_bob]) == {of_bob.id}
    assert read_rows() == [of_alice, of_bob]


@pytest.mark.both_databases
def test_a_request_is_one_order_even_when_it_was_cancelled(of_alice: Row) -> None:
    insert([of_alice])
    VoucherOrder.objects.update(status="cancelled")
    assert insert([of_alice._replace(id=5, redeem_code="other")]) == set()
    assert insert([of_alice._replace(id=5, redeem_code="other", token="new")]) == {5}


@pytest.mark.both_databases
def test_of_a_person_s_two_rows_in_a_batch_the_first_goes_in(of_alice: Row) -> None:
    second = of_alice._replace(id=of_alice.id + 1, token="second", redeem_code="second")
    assert insert([of_alice, second]) == {of_alice.id}


@pytest.mark.both_databases
def test_no_rows_ask_nothing(db: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert insert([]) == set()


@pytest.mark.both_databases
def test_a_thousand_rows_are_one_statement(
    sale: FlashSale, of_alice: Row, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    rows = [
        of_alice._replace(id=number, user_id=person.pk, redeem_code=f"code{number}")
        for number, person in enumerate(UserFactory.bulk_create(1_000))
    ]
    with django_assert_num_queries(1):
        assert insert(rows) == set(range(1_000))
    assert read_rows() == rows


@pytest.mark.both_databases
def test_the_largest_id_is_kept_and_a_larger_one_refused(of_alice: Row, of_bob: Row) -> None:
    assert insert([of_alice._replace(id=LARGEST)]) == {LARGEST}
    with pytest.raises((DatabaseError, OverflowError)), transaction.atomic():
        insert([of_bob, of_bob._replace(id=LARGEST + 1)])
    assert [row.id for row in read_rows()] == [LARGEST]


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "text", ["", "NULL", '"', "{a,b}", "back\\slash", "it's", "%s", "中文 🍜", " padded "]
)
def test_a_text_is_kept_to_the_letter(text: str, of_alice: Row) -> None:
    insert([of_alice._replace(token=text)])
    assert read_rows() == [of_alice._replace(token=text)]


@pytest.mark.both_databases
def test_a_nul_in_a_text_is_kept_or_refused_but_cuts_nothing_off(of_alice: Row) -> None:
    with_nul = of_alice._replace(token="a\x00b")
    try:
        with transaction.atomic():
            insert([with_nul])
    except (DatabaseError, ValueError):
        assert connection.vendor == "postgresql"
        assert read_rows() == []
    else:
        assert read_rows() == [with_nul]


@pytest.mark.both_databases
def test_what_is_no_conflict_fails_the_whole_batch(of_alice: Row, of_bob: Row) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        insert([of_alice, of_bob._replace(price=-1)])
    assert read_rows() == []
