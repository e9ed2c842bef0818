"""The sandbox bank: its page, its buttons, and its calls to the shop over HTTP."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.coupons.models import VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState, SandboxCharge
from apps.coupons.orders import lifecycle
from apps.coupons.payments import provider, sandbox, tasks, views
from apps.coupons.payments.views import BankAction
from apps.queues import delayed
from tests import sites
from tests.coupons import payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]


def press_button(payment: Payment, button: str) -> str:
    """Press a button of the bank's page; where the browser goes."""
    answer = Client().post(f"/sandbox/pay/{payment.reference}/", {"press": button})
    assert answer.status_code == 302
    return str(answer["Location"])


def read_statuses(order: VoucherOrder, payment: Payment) -> tuple[str, str, str]:
    order.refresh_from_db()
    ours, banks, _ = payers.read_payment_states()[payment.reference]
    return order.status, ours, banks


def test_the_page_says_what_for_how_much_and_that_it_is_play(payment: Payment) -> None:
    html = Client().get(f"/sandbox/pay/{payment.reference}/").content.decode()
    for words in ("Sandbox bank", "No money moves", "¥49", "Noodles at half price · Lakeside Noodle House"):
        assert words in html
    for button in ("pay", "fail", "late", "twice", "give_up"):
        assert f'name="press" value="{button}"' in html


@pytest.mark.usefixtures("line")
def test_pay_is_told_to_the_shop_over_http(order: VoucherOrder, payment: Payment) -> None:
    assert press_button(payment, "pay") == payers.RETURN_URL
    assert read_statuses(order, payment) == ("paid", "succeeded", "paid")


@pytest.mark.usefixtures("line")
def test_twice_is_told_twice_and_pays_once(order: VoucherOrder, payment: Payment) -> None:
    press_button(payment, "twice")
    assert read_statuses(order, payment) == ("paid", "succeeded", "paid")


@pytest.mark.usefixtures("line")
def test_let_it_fail_is_told_too(order: VoucherOrder, payment: Payment) -> None:
    assert press_button(payment, "fail") == payers.RETURN_URL
    assert read_statuses(order, payment) == ("unpaid", "failed", "declined")
    assert Payment.objects.get().reason == "declined in the sandbox"


@pytest.mark.usefixtures("line")
def test_late_is_told_some_seconds_later(order: VoucherOrder, payment: Payment) -> None:
    assert press_button(payment, "late") == payers.RETURN_URL
    assert read_statuses(order, payment) == ("unpaid", "begun", "paid")
    job = delayed.find_job(f"payments:call-back:{payment.reference}")
    assert job is not None
    assert timedelta(seconds=5) < job.at - timezone.now() <= views.LATE_CALLBACK_DELAY
    lifecycle.cancel(order)
    assert (job.task, job.priority) == (tasks.call_back.name, delayed.Priority.HIGH)
    tasks.call_back(*job.args)
    assert read_statuses(order, payment) == ("cancelled", "refunded", "refunded")


def test_giving_up_tells_nobody(order: VoucherOrder, payment: Payment) -> None:
    assert press_button(payment, "give_up") == f"{payers.RETURN_URL}?gave_up=1"
    assert read_statuses(order, payment) == ("unpaid", "begun", "open")


@pytest.mark.both_databases
@pytest.mark.usefixtures("line")
def test_a_charge_is_decided_once(order: VoucherOrder, payment: Payment) -> None:
    press_button(payment, "fail")
    press_button(payment, "pay")
    assert read_statuses(order, payment) == ("unpaid", "failed", "declined")
    html = Client().get(f"/sandbox/pay/{payment.reference}/").content.decode()
    assert "Declined" in html
    assert 'value="pay"' not in html


@pytest.mark.usefixtures("line")
def test_the_shop_can_be_told_again(order: VoucherOrder, payment: Payment) -> None:
    payers.set_charge_state(payment)
    press_button(payment, "again")
    assert read_statuses(order, payment) == ("paid", "succeeded", "paid")


@pytest.mark.usefixtures("line")
def test_what_nobody_decided_is_not_told(order: VoucherOrder, payment: Payment) -> None:
    press_button(payment, "again")
    assert read_statuses(order, payment) == ("unpaid", "begun", "open")


@pytest.mark.parametrize("button", ["", "steal", "PAY", "\x00"])
def test_another_button_is_refused(order: VoucherOrder, payment: Payment, button: str) -> None:
    answer = Client().post(f"/sandbox/pay/{payment.reference}/", {"press": button})
    assert answer.status_code == 400
    assert read_statuses(order, payment) == ("unpaid", "begun", "open")


@pytest.mark.parametrize("reference", ["0" * 32, "x", "%00", "-" * 400])
def test_an_unknown_charge_has_no_page(db: None, reference: str) -> None:
    assert Client().get(f"/sandbox/pay/{reference}/").status_code in {400, 404}


def test_outside_the_demo_there_is_no_such_bank(payment: Payment, settings: Settings) -> None:
    settings.DEMO = False
    for method in ("get", "post"):
        answer = getattr(Client(), method)(f"/sandbox/pay/{payment.reference}/", {"press": "pay"})
        assert answer.status_code == 404
    assert SandboxCharge.objects.get().state == SandboxCharge.State.OPEN


@pytest.mark.usefixtures("line")
def test_a_shop_that_refuses_has_not_heard(payment: Payment) -> None:
    payers.set_charge_state(payment)
    Payment.objects.update(amount=1)
    with pytest.raises(sandbox.CallbackNotAccepted, match="409"):
        sandbox.send_callback(payment.reference)


def test_a_shop_that_is_closed_has_not_heard(payment: Payment, settings: Settings) -> None:
    payers.set_charge_state(payment)
    settings.SITE_URL = f"http://127.0.0.1:{sites.free_port()}"
    with pytest.raises(OSError, match="refused"):
        sandbox.send_callback(payment.reference)


@pytest.mark.parametrize("asked", [1, 3])
def test_the_bank_gives_back_once_however_often_it_is_asked(payment: Payment, asked: int) -> None:
    payers.set_charge_state(payment)
    for _ in range(asked):
        sandbox.Sandbox().refund(payment)
    assert payers.read_payment_states()[payment.reference] == (PaymentState.BEGUN, "refunded", asked)


@pytest.mark.both_databases
def test_the_bank_gives_back_only_what_it_took(payment: Payment) -> None:
    with pytest.raises(provider.Unavailable):
        sandbox.Sandbox().refund(payment)
    assert SandboxCharge.objects.get().state == SandboxCharge.State.OPEN


def test_every_button_has_words() -> None:
    assert {button.label for button in BankAction} >= {"Pay", "Let it fail", "Cancel"}
