from dataclasses import replace

import pytest
from django.db import IntegrityError

from apps.accounts.models import User
from apps.coupons import entries, keys, recording, seckill, stream
from apps.coupons.models import FlashSale, VoucherOrder


@pytest.fixture
def accepted(sale: FlashSale, alice: User, bob: User) -> list[entries.Accepted]:
    for person in (alice, bob):
        seckill.claim(sale.pk, user_id=person.pk, request_token="t")
    return list(stream.waiting(keys.of_sale(sale.pk).orders))


def left(sale: FlashSale) -> int:
    sale.refresh_from_db()
    return sale.stock_left


def test_accepted_orders_become_rows_and_take_their_units(
    sale: FlashSale, accepted: list[entries.Accepted]
) -> None:
    assert recording.record(accepted) == 2
    assert left(sale) == 8
    order = VoucherOrder.objects.get(pk=accepted[0].order_id)
    assert (order.user_id, order.voucher_id, order.price, order.status) == (
        accepted[0].user_id,
        sale.pk,
        4_900,
        "unpaid",
    )
    assert order.accepted_at == accepted[0].accepted_at


def test_entries_delivered_again_change_nothing(sale: FlashSale, accepted: list[entries.Accepted]) -> None:
    recording.record(accepted)
    assert [recording.record(accepted + accepted) for _ in range(3)] == [0, 0, 0]
    assert left(sale) == 8


def test_sql_has_the_last_word_on_stock(sale: FlashSale, accepted: list[entries.Accepted]) -> None:
    FlashSale.objects.filter(pk=sale.pk).update(stock_left=1, stock_total=1)
    with pytest.raises(recording.Refused, match="fewer than 2 units"):
        recording.record(accepted)
    assert VoucherOrder.objects.count() == 0
    assert left(sale) == 1


def test_sql_has_the_last_word_on_one_per_person(accepted: list[entries.Accepted]) -> None:
    recording.record(accepted)
    forged = replace(accepted[0], order_id=accepted[1].order_id + 1, token="other")
    with pytest.raises(IntegrityError):
        recording.record([forged])


def test_an_order_of_somebody_else_is_not_taken_for_done(accepted: list[entries.Accepted]) -> None:
    recording.record(accepted)
    with pytest.raises(recording.Refused, match="somebody else"):
        recording.record([replace(accepted[0], user_id=accepted[1].user_id)])


def test_a_forged_entry_outside_the_window_or_without_a_sale_is_refused(
    sale: FlashSale, accepted: list[entries.Accepted]
) -> None:
    with pytest.raises(recording.Refused, match="outside"):
        recording.record([replace(accepted[0], accepted_at=sale.ends_at)])
    with pytest.raises(recording.Refused, match="no flash sale"):
        recording.record([replace(accepted[0], voucher_id=999_999)])


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
        {"token": "a b"},
        {"token": "x" * 65},
        {"voucher": "9" * 5_000},
    ],
)
def test_an_entry_that_says_no_order_is_malformed(bent: dict[str, str]) -> None:
    fields = {"v": "1", "order": "1", "voucher": "1", "user": "1", "token": "t", "at": "1", "epoch": "1"}
    assert entries.parse(fields).order_id == 1
    with pytest.raises(entries.Malformed):
        entries.parse(fields | bent)
