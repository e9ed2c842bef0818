"""The shop redeems a paid order, once; every other code gets clear words."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client

from apps.accounts.models import User
from apps.coupons import limits
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.orders import lifecycle, redeem_codes
from apps.coupons.payments import refunds
from tests.coupons import buyers

pytestmark = pytest.mark.django_db(transaction=True)

URL = "/admin/coupons/voucherorder/redeem/"


@pytest.fixture
def paid(order: VoucherOrder) -> VoucherOrder:
    lifecycle.mark_paid(order)
    return order


@pytest.fixture
def waiter(client: Client, bob: User) -> Client:
    """Bob, staff who may redeem and nothing else."""
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    bob.user_permissions.add(*Permission.objects.filter(codename__in=["redeem_order", "see_all_shops"]))
    client.force_login(bob)
    return client


def test_a_code_is_looked_up_then_redeemed_and_noted(waiter: Client, paid: VoucherOrder) -> None:
    page = waiter.get(URL, {"code": paid.redeem_code}).content.decode()
    assert "Noodles at half price" in page
    assert "Alice" in page
    assert "Redeem it now" in page
    paid.refresh_from_db()
    assert paid.status == Status.PAID, "looking redeems nothing"
    done = waiter.post(URL, {"code": paid.redeem_code}, follow=True).content.decode()
    assert "Redeemed: Noodles at half price, Alice." in done
    paid.refresh_from_db()
    assert (paid.status, paid.used_at is not None) == (Status.USED, True)
    assert LogEntry.objects.get().object_id == str(paid.pk)


@pytest.fixture
def till(waiter: Client, bob: User) -> Client:
    """A program at the shop's counter, with Bob's token."""
    return buyers.api_client(bob)


def ways_to_type(code: str) -> list[str]:
    return [code.lower(), redeem_codes.spell(code), f" {redeem_codes.spell(code.lower())} ".replace(" ", "-")]


@pytest.mark.parametrize("way", range(3))
def test_a_code_is_redeemed_however_it_is_typed(
    waiter: Client, till: Client, paid: VoucherOrder, way: int
) -> None:
    typed = ways_to_type(paid.redeem_code)[way]
    assert "Redeem it now" in waiter.get(URL, {"code": typed}).content.decode()
    assert redeem_by_api(till, typed).json()["status"] == "used"


@pytest.mark.both_databases
def test_a_code_of_before_is_redeemed_and_its_case_counts(till: Client, paid: VoucherOrder) -> None:
    VoucherOrder.objects.update(redeem_code="Qm9zcG9-dXM_MTIz")
    assert redeem_by_api(till, "qm9zcg9-dxm_mtiz").status_code == 404
    assert redeem_by_api(till, "Qm9zcG9-dXM_MTIz").json()["status"] == "used"


def redeem_by_api(till: Client, code: str) -> Any:
    return till.post("/api/orders/redeem", {"code": code}, content_type="application/json")


def test_a_program_redeems_a_code_or_its_link_once(till: Client, paid: VoucherOrder) -> None:
    link = f"https://savor.example{URL}?code={paid.redeem_code}"
    done = redeem_by_api(till, link)
    assert done.status_code == 200, done.content
    said = done.json()
    assert (said["id"], said["status"], said["person"]) == (str(paid.pk), "used", "Alice")
    assert said["used_at"]
    assert LogEntry.objects.get().object_id == str(paid.pk)
    again = redeem_by_api(till, paid.redeem_code)
    problem = again.json()
    assert (again.status_code, problem["code"], problem["order_status"]) == (409, "not_possible", "used")
    assert problem["detail"].startswith("This coupon was used today at ")
    assert LogEntry.objects.count() == 1


def test_a_program_without_the_permission_or_a_code_redeems_nothing(
    till: Client, paid: VoucherOrder, charlie: User
) -> None:
    assert redeem_by_api(till, "no-such-code").status_code == 404
    assert redeem_by_api(buyers.api_client(charlie), paid.redeem_code).status_code == 403
    assert redeem_by_api(Client(), paid.redeem_code).status_code == 401
    paid.refresh_from_db()
    assert paid.status == Status.PAID


@pytest.mark.both_databases
def test_a_second_redeem_says_when_it_was_used(waiter: Client, paid: VoucherOrder) -> None:
    waiter.post(URL, {"code": paid.redeem_code})
    used_at = VoucherOrder.objects.get().used_at
    again = waiter.post(URL, {"code": paid.redeem_code})
    assert (again.status_code, LogEntry.objects.count()) == (409, 1)
    assert "This coupon was used today at " in again.content.decode()
    assert "Redeem it now" not in again.content.decode()
    assert VoucherOrder.objects.get().used_at == used_at


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "This order is not paid."),
        ([lifecycle.cancel], "This order was cancelled on "),
        ([lifecycle.mark_paid, refunds.refund_order], "This order was refunded on "),
    ],
)
def test_what_is_not_paid_is_not_redeemed(
    waiter: Client, order: VoucherOrder, steps: Any, words: str
) -> None:
    for step in steps:
        step(order)
    seen, pressed = (ask(URL, {"code": order.redeem_code}) for ask in (waiter.get, waiter.post))
    assert (seen.status_code, pressed.status_code) == (200, 409)
    for page in (seen.content.decode(), pressed.content.decode()):
        assert words in page
        assert "Redeem it now" not in page
    assert not VoucherOrder.objects.filter(status=Status.USED).exists()


def test_a_scanner_that_types_the_whole_link_is_understood(waiter: Client, paid: VoucherOrder) -> None:
    page = waiter.get(URL, {"code": f" https://savor.example{URL}?code={paid.redeem_code}\n"})
    assert "Redeem it now" in page.content.decode()


@pytest.mark.parametrize("code", ["nobody", "\ud800", "x" * 5_000, "面" * 16, "' OR 1=1 --", "<b>"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_an_unknown_code_is_no_order(waiter: Client, method: str, code: str) -> None:
    sent = code.encode("utf-8", "replace").decode()
    answer = getattr(waiter, method)(URL, {"code": sent})
    assert answer.status_code == 404
    assert "Nobody holds this code." in answer.content.decode()
    assert "<b>" not in answer.content.decode()
    assert answer.context["form"]["code"].value() == sent, "one may mend it"


@pytest.mark.both_databases
def test_a_nul_is_no_code(waiter: Client) -> None:
    assert waiter.post(URL, {"code": "\0"}).status_code == 404
    assert waiter.get(URL, {"code": "\0"}).status_code == 400, "no page takes one in its address"


def test_wrong_codes_are_limited_for_each_member_of_staff(
    waiter: Client, paid: VoucherOrder, manager: User
) -> None:
    for number in range(limits.WRONG_CODE_LIMIT.allowed):
        assert waiter.get(URL, {"code": f"wrong{number}"}).status_code == 404
    refused = waiter.get(URL, {"code": paid.redeem_code})
    assert (refused.status_code, int(refused["Retry-After"]) > 0) == (429, True)
    assert "Too many wrong codes." in refused.content.decode()
    waiter.force_login(manager)
    assert waiter.get(URL, {"code": paid.redeem_code}).status_code == 200


def test_right_codes_are_not_counted(waiter: Client, paid: VoucherOrder) -> None:
    for _ in range(limits.WRONG_CODE_LIMIT.allowed + 1):
        assert waiter.get(URL, {"code": paid.redeem_code}).status_code == 200


def test_without_redis_coupons_are_redeemed(waiter: Client, paid: VoucherOrder, redis_away_now: Any) -> None:
    redis_away_now()
    assert waiter.get(URL, {"code": "wrong"}).status_code == 404
    assert waiter.post(URL, {"code": paid.redeem_code}).status_code == 302


def test_a_form_without_its_csrf_token_redeems_nothing(bob: User, waiter: Client, paid: VoucherOrder) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(bob)
    assert strict.post(URL, {"code": paid.redeem_code}).status_code == 403
    assert not VoucherOrder.objects.filter(status=Status.USED).exists()


def test_the_buyer_who_opens_the_link_is_sent_to_log_in(client: Client, paid: VoucherOrder) -> None:
    client.force_login(paid.user)
    answer = client.get(URL, {"code": paid.redeem_code})
    assert answer["Location"].startswith("/admin/login/?next=")
    assert paid.redeem_code in answer["Location"], "the log-in comes back to the code"


def test_a_used_order_is_neither_refunded_nor_bought_again(sale: FlashSale, paid: VoucherOrder) -> None:
    lifecycle.redeem(paid)
    for change in (refunds.refund_order, lifecycle.cancel, lifecycle.redeem):
        with pytest.raises(lifecycle.TransitionNotAllowed, match="used"):
            change(paid)
    sale.refresh_from_db()
    assert sale.stock_left == 9
