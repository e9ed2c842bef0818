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
from apps.coupons.catalog import findable_sales
from apps.coupons.models import FlashSale, Reconciliation, Status, Voucher, VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState, SandboxCharge
from apps.coupons.orders import lifecycle
from apps.coupons.payments import refunds, settlement
from apps.coupons.reconcile import payment_invariants, reconciliation
from tests.coupons import buyers, payers
from tests.coupons.conftest import MakeSale
from tests.factories import PaymentFactory, SandboxChargeFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]
#: A number that no order has.
UNKNOWN_ORDER_ID = 987_654_321


@pytest.fixture
def order(sale: FlashSale, alice: User) -> VoucherOrder:
    """Alice's, paid."""
    made = buyers.create_order(sale, alice)
    payers.pay_order(made)
    return made


def find_violations(*, fix: bool = False) -> dict[str, int]:
    """The rules that are broken, and by how much."""
    return {one.rule[:3]: one.by for one in reconciliation.run(fix=fix).violations}


def read_charges() -> list[tuple[str, int]]:
    """How each charge stands, and how often it was asked to be returned."""
    charges = SandboxCharge.objects.order_by("opened_at", "pk")
    return list(charges.values_list("state", "refunds_asked"))


def add_payment(order: VoucherOrder, **changes: object) -> Payment:
    """One more payment of an order, whose money came."""
    first = Payment.objects.filter(order_id=order.pk).earliest("id")
    second = PaymentFactory.create(**{"order": order, "amount": first.amount} | changes)
    SandboxChargeFactory.create(reference=second.reference, amount=second.amount)
    return second


def test_healthy_books_are_clean(order: VoucherOrder, sale: FlashSale, bob: User, charlie: User) -> None:
    refunded = buyers.create_order(sale, bob)
    payers.pay_order(refunded)
    refunds.refund_order(refunded)
    late = buyers.create_order(sale, charlie)
    payment = payers.begin_payment(late)
    lifecycle.cancel(late)
    payers.set_charge_state(payment)
    payers.send_callback(payment)
    lifecycle.redeem(order)
    assert find_violations() == {}
    report = reconciliation.run()
    assert (report.sales, report.payments) == (1, 3)
    assert "1 sales and 3 payments" in reconciliation.summarize(report)


@pytest.mark.parametrize(
    "state", [PaymentState.BEGUN, PaymentState.SUCCEEDED, PaymentState.EXPIRED, PaymentState.REFUNDING]
)
def test_what_is_under_way_breaks_no_rule(order: VoucherOrder, state: PaymentState) -> None:
    """A payment before its row, one that waits for the bank, a refund on its way."""
    payment = add_payment(
        order, order_id=UNKNOWN_ORDER_ID, state=state, settled_at=None, due_at=timezone.now()
    )
    assert find_violations() == {}
    Payment.objects.filter(pk=payment.pk).update(due_at=timezone.now() - payment_invariants.OVERDUE_AFTER)
    assert find_violations() == {"I25": 1}


def _paid_by_nobody(order: VoucherOrder) -> None:
    Payment.objects.all().delete()


def _paid_another_price(order: VoucherOrder) -> None:
    Payment.objects.update(amount=1)


def _money_gone(order: VoucherOrder) -> None:
    Payment.objects.update(state=PaymentState.REFUNDED)


@pytest.mark.parametrize("plant", [_paid_by_nobody, _paid_another_price, _money_gone])
@pytest.mark.parametrize("used", [False, True])
def test_an_order_that_is_paid_without_money_is_left_to_people(
    order: VoucherOrder, plant: Callable[[VoucherOrder], None], used: bool
) -> None:
    if used:
        lifecycle.redeem(order)
    plant(order)
    before = Payment.objects.values_list("state", "amount").first()
    assert find_violations(fix=True) == {"I21": 1}
    assert Payment.objects.values_list("state", "amount").first() == before
    assert read_charges() == [("paid", 0)]


@pytest.mark.parametrize("status", [Status.CANCELLED, Status.REFUNDED, Status.UNPAID])
def test_money_of_an_order_that_nobody_holds_goes_back(order: VoucherOrder, status: Status) -> None:
    VoucherOrder.objects.update(status=status)
    assert find_violations()["I22"] == 1
    assert "I22" not in find_violations(fix=True)
    assert read_charges() == [("refunded", 1)]
    assert Payment.objects.get().reason == f"reconcile: the order is {status}"


def test_of_an_order_that_was_paid_twice_one_payment_stays(order: VoucherOrder) -> None:
    add_payment(order)
    add_payment(order)
    assert find_violations() == {"I23": 1}
    assert find_violations(fix=True) == {}
    assert read_charges() == [("paid", 0), ("refunded", 1), ("refunded", 1)]
    order.refresh_from_db()
    assert order.status == Status.PAID


@pytest.mark.both_databases
def test_of_two_payments_the_one_of_the_right_amount_stays(order: VoucherOrder) -> None:
    right = add_payment(order)
    Payment.objects.exclude(pk=right.pk).update(amount=1)
    assert find_violations() == {"I23": 1}
    assert find_violations(fix=True) == {}
    assert payers.read_payment_states()[right.reference] == ("succeeded", "paid", 0)


@pytest.mark.both_databases
def test_money_without_an_order_goes_back(order: VoucherOrder) -> None:
    stray = add_payment(order, order_id=UNKNOWN_ORDER_ID)
    assert find_violations() == {"I24": 1}
    assert find_violations(fix=True) == {}
    assert payers.read_payment_states()[stray.reference] == ("refunded", "refunded", 1)


def test_money_that_waited_in_vain_for_its_order_goes_back(order: VoucherOrder) -> None:
    long_ago = (
        timezone.now() - settlement.MAX_ORDER_WAIT - payment_invariants.OVERDUE_AFTER - timedelta(seconds=1)
    )
    later = timezone.now() + timedelta(hours=1)
    stray = add_payment(order, order_id=UNKNOWN_ORDER_ID, settled_at=None, finished_at=long_ago, due_at=later)
    assert find_violations() == {"I24": 1}
    assert find_violations(fix=True) == {}
    assert payers.read_payment_states()[stray.reference] == ("refunded", "refunded", 1)


def test_an_attempt_without_money_needs_no_order(order: VoucherOrder) -> None:
    for state in (PaymentState.FAILED, PaymentState.EXPIRED, PaymentState.REFUNDED):
        add_payment(order, order_id=UNKNOWN_ORDER_ID, state=state, settled_at=None)
    assert find_violations() == {}


@pytest.mark.parametrize(
    ("state", "then"),
    [(PaymentState.BEGUN, PaymentState.SUCCEEDED), (PaymentState.REFUNDING, PaymentState.REFUNDED)],
)
def test_what_was_forgotten_is_looked_at(
    order: VoucherOrder, state: PaymentState, then: PaymentState
) -> None:
    payment = add_payment(order, order_id=UNKNOWN_ORDER_ID, state=state, settled_at=None)
    assert find_violations() == {"I25": 1}
    assert find_violations(fix=True) == {}
    payment.refresh_from_db()
    assert payment.state == then


@pytest.mark.both_databases
def test_a_settlement_that_was_forgotten_is_made_up_for(order: VoucherOrder) -> None:
    second = add_payment(order, settled_at=None)
    assert find_violations() == {"I25": 1}
    assert find_violations(fix=True) == {}
    assert payers.read_payment_states()[second.reference] == ("refunded", "refunded", 1)


def test_orders_of_ordinary_vouchers_count_too(voucher: Voucher, alice: User) -> None:
    order = lifecycle.create_order(voucher, user=alice, request_token="t")
    payers.pay_order(order)
    VoucherOrder.objects.update(status=Status.CANCELLED)
    assert find_violations() == {"I22": 1}
    assert find_violations(fix=True) == {}


@pytest.mark.both_databases
def test_a_violation_names_the_first_orders(make_sale: MakeSale, alice: User) -> None:
    numbers = []
    for _ in range(5):
        order = buyers.create_order(make_sale(), alice)
        payers.pay_order(order)
        numbers.append(order.pk)
    Payment.objects.all().delete()
    (found,) = payment_invariants.find_violations()
    assert (found.rule, found.by, found.voucher_id) == ("I21 paid without money", 5, None)
    assert found.detail.endswith(": " + ", ".join(map(str, sorted(numbers)[:3])))


def test_more_orders_cost_no_more_questions(make_sale: MakeSale, alice: User) -> None:
    def questions() -> int:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert list(payment_invariants.find_violations()) == []
        return len(asked)

    costs = []
    for _ in range(2):
        for _ in range(10):
            payers.pay_order(buyers.create_order(make_sale(), alice))
        costs.append(questions())
    assert costs == [len(payment_invariants.RULES)] * 2


def test_the_command_says_it(order: VoucherOrder, capsys: pytest.CaptureFixture[str]) -> None:
    findable_sales.update_all()
    call_command("reconcile", "--part", "coupons", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["clean"], told["parts"]["coupons.payments"]["things"]) == (True, 1)
    add_payment(order)
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile", "--part", "coupons")
    assert ended.value.code == 1
    assert "I23" in capsys.readouterr().out
    call_command("reconcile", "--part", "coupons", "--fix")
    assert "1 repaired" in capsys.readouterr().out


@pytest.mark.both_databases
def test_the_admin_shows_it(boss: Client, order: VoucherOrder) -> None:
    Payment.objects.all().delete()
    reconciliation.run_and_save()
    kept = Reconciliation.objects.get()
    assert (kept.payments, len(kept.violations)) == (0, 1)
    html = boss.get(f"/admin/coupons/reconciliation/{kept.pk}/change/").content.decode()
    assert "I21 paid without money" in html
    assert str(order.pk) in html
    assert "flashsale/None" not in html
