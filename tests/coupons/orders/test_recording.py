import pytest
from django.db import IntegrityError

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import entries, seckill, stream_reader
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.orders import recording, redeem_codes


@pytest.fixture
def accepted(sale: FlashSale, alice: User, bob: User) -> list[entries.AcceptedOrder]:
    for person in (alice, bob):
        seckill.claim(sale.pk, user_id=person.pk, request_token="t")
    return list(stream_reader.iter_waiting_orders(keys.for_sale(sale.pk).orders))


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
