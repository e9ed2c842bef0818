"""Money against orders: what `reconcile` finds, what it mends, and what it leaves to people."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import orders, reconcile
from apps.coupons.models import FlashSale, Reconciliation, Status, Voucher, VoucherOrder
from apps.coupons.payments import books, settling
from apps.coupons.payments.models import Payment, SandboxCharge, State
from tests.coupons import buyers, payers
from tests.coupons.conftest import MakeSale

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]
#: A number that no order has.
NOBODYS = 987_654_321


@pytest.fixture
def order(sale: FlashSale, alice: User) -> VoucherOrder:
    """Alice's, paid."""
    made = buyers.ordered(sale, alice)
    payers.paid(made)
    return made


def found(*, fix: bool = False) -> dict[str, int]:
    """The rules that are broken, and by how much."""
    return {one.rule[:3]: one.by for one in reconcile.run(fix=fix).violations}


def bank() -> list[tuple[str, int]]:
    """How each charge stands, and how often it was asked to be returned."""
    charges = SandboxCharge.objects.order_by("opened_at", "pk")
    return list(charges.values_list("state", "refunds_asked"))


def again(order: VoucherOrder, **changes: object) -> Payment:
    """One more payment of an order, whose money came."""
    first = Payment.objects.filter(order_id=order.pk).earliest("id")
    second = Payment(order_id=order.pk, provider="sandbox", amount=first.amount, currency=first.currency)
    second.reference, second.state = f"{Payment.objects.count():032x}", State.SUCCEEDED
    second.finished_at = second.settled_at = timezone.now()
    for name, value in changes.items():
        setattr(second, name, value)
    second.save(force_insert=True)
    SandboxCharge.objects.create(
        reference=second.reference, amount=second.amount, currency="CNY", state=SandboxCharge.State.PAID
    )
    return second


def test_healthy_books_are_clean(order: VoucherOrder, sale: FlashSale, bob: User, charlie: User) -> None:
    refunded = buyers.ordered(sale, bob)
    payers.paid(refunded)
    orders.refund(refunded)
    late = buyers.ordered(sale, charlie)
    payment = payers.begun(late)
    orders.cancel(late)
    payers.charge(payment)
    payers.call(payment)
    orders.redeem(order)
    assert found() == {}
    report = reconcile.run()
    assert (report.sales, report.payments) == (1, 3)
    assert "1 sales and 3 payments" in reconcile.explain(report)


@pytest.mark.parametrize("state", [State.BEGUN, State.SUCCEEDED, State.EXPIRED, State.REFUNDING])
def test_what_is_under_way_breaks_no_rule(order: VoucherOrder, state: State) -> None:
    """A payment before its row, one that waits for the bank, a refund on its way."""
    payment = again(order, order_id=NOBODYS, state=state, settled_at=None, due_at=timezone.now())
    assert found() == {}
    Payment.objects.filter(pk=payment.pk).update(due_at=timezone.now() - books.LATE)
    assert found() == {"I25": 1}


def _paid_by_nobody(order: VoucherOrder) -> None:
    Payment.objects.all().delete()


def _paid_another_price(order: VoucherOrder) -> None:
    Payment.objects.update(amount=1)


def _money_gone(order: VoucherOrder) -> None:
    Payment.objects.update(state=State.REFUNDED)


@pytest.mark.parametrize("plant", [_paid_by_nobody, _paid_another_price, _money_gone])
@pytest.mark.parametrize("used", [False, True])
def test_an_order_that_is_paid_without_money_is_left_to_people(
    order: VoucherOrder, plant: Callable[[VoucherOrder], None], used: bool
) -> None:
    if used:
        orders.redeem(order)
    plant(order)
    before = Payment.objects.values_list("state", "amount").first()
    assert found(fix=True) == {"I21": 1}
    assert Payment.objects.values_list("state", "amount").first() == before
    assert bank() == [("paid", 0)]


@pytest.mark.parametrize("status", [Status.CANCELLED, Status.REFUNDED, Status.UNPAID])
def test_money_of_an_order_that_nobody_holds_goes_back(order: VoucherOrder, status: Status) -> None:
    VoucherOrder.objects.update(status=status)
    assert found()["I22"] == 1
    assert "I22" not in found(fix=True)
    assert bank() == [("refunded", 1)]
    assert Payment.objects.get().reason == f"reconcile: the order is {status}"


def test_of_an_order_that_was_paid_twice_one_payment_stays(order: VoucherOrder) -> None:
    again(order)
    again(order)
    assert found() == {"I23": 1}
    assert found(fix=True) == {}
    assert bank() == [("paid", 0), ("refunded", 1), ("refunded", 1)]
    order.refresh_from_db()
    assert order.status == Status.PAID


def test_of_two_payments_the_one_of_the_right_amount_stays(order: VoucherOrder) -> None:
    right = again(order)
    Payment.objects.exclude(pk=right.pk).update(amount=1)
    assert found() == {"I23": 1}
    assert found(fix=True) == {}
    assert payers.books()[right.reference] == ("succeeded", "paid", 0)


def test_money_without_an_order_goes_back(order: VoucherOrder) -> None:
    stray = again(order, order_id=NOBODYS)
    assert found() == {"I24": 1}
    assert found(fix=True) == {}
    assert payers.books()[stray.reference] == ("refunded", "refunded", 1)


def test_money_that_waited_in_vain_for_its_order_goes_back(order: VoucherOrder) -> None:
    long_ago = timezone.now() - settling.LONGEST_WAIT - books.LATE - timedelta(seconds=1)
    later = timezone.now() + timedelta(hours=1)
    stray = again(order, order_id=NOBODYS, settled_at=None, finished_at=long_ago, due_at=later)
    assert found() == {"I24": 1}
    assert found(fix=True) == {}
    assert payers.books()[stray.reference] == ("refunded", "refunded", 1)


def test_an_attempt_without_money_needs_no_order(order: VoucherOrder) -> None:
    for state in (State.FAILED, State.EXPIRED, State.REFUNDED):
        again(order, order_id=NOBODYS, state=state, settled_at=None)
    assert found() == {}


@pytest.mark.parametrize(
    ("state", "then"), [(State.BEGUN, State.SUCCEEDED), (State.REFUNDING, State.REFUNDED)]
)
def test_what_was_forgotten_is_looked_at(order: VoucherOrder, state: State, then: State) -> None:
    payment = again(order, order_id=NOBODYS, state=state, settled_at=None)
    assert found() == {"I25": 1}
    assert found(fix=True) == {}
    payment.refresh_from_db()
    assert payment.state == then


def test_a_settlement_that_was_forgotten_is_made_up_for(order: VoucherOrder) -> None:
    second = again(order, settled_at=None)
    assert found() == {"I25": 1}
    assert found(fix=True) == {}
    assert payers.books()[second.reference] == ("refunded", "refunded", 1)


def test_orders_of_ordinary_vouchers_count_too(voucher: Voucher, alice: User) -> None:
    order = orders.buy(voucher, user=alice, request_token="t")
    payers.paid(order)
    VoucherOrder.objects.update(status=Status.CANCELLED)
    assert found() == {"I22": 1}
    assert found(fix=True) == {}


def test_a_violation_names_the_first_orders(make_sale: MakeSale, alice: User) -> None:
    numbers = []
    for _ in range(5):
        order = buyers.ordered(make_sale(), alice)
        payers.paid(order)
        numbers.append(order.pk)
    Payment.objects.all().delete()
    (found,) = books.broken()
    assert (found.rule, found.by, found.voucher_id) == ("I21 paid without money", 5, None)
    assert found.detail.endswith(": " + ", ".join(map(str, sorted(numbers)[:3])))


def test_more_orders_cost_no_more_questions(make_sale: MakeSale, alice: User) -> None:
    def questions() -> int:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert list(books.broken()) == []
        return len(asked)

    costs = []
    for _ in range(2):
        for _ in range(10):
            payers.paid(buyers.ordered(make_sale(), alice))
        costs.append(questions())
    assert costs == [len(books.RULES)] * 2


def test_the_command_says_it(order: VoucherOrder, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("reconcile", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["clean"], told["payments"]) == (True, 1)
    again(order)
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile")
    assert ended.value.code == 1
    assert "I23" in capsys.readouterr().out
    call_command("reconcile", "--fix")
    assert "1 repaired" in capsys.readouterr().out


def test_the_admin_shows_it(boss: Client, order: VoucherOrder) -> None:
    Payment.objects.all().delete()
    reconcile.run_and_keep()
    kept = Reconciliation.objects.get()
    assert (kept.payments, len(kept.violations)) == (0, 1)
    html = boss.get(f"/admin/coupons/reconciliation/{kept.pk}/change/").content.decode()
    assert "I21 paid without money" in html
    assert str(order.pk) in html
    assert "flashsale/None" not in html
