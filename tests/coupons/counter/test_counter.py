"""The counter: a cashier redeems the codes of the shops they work at, once, and reads what went wrong."""

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
import qrcode
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from PIL import Image

from apps.accounts.models import User
from apps.coupons import limits
from apps.coupons.claims import recovery
from apps.coupons.models import Redemption, Status, VoucherOrder
from apps.coupons.orders import lifecycle, redeem_codes
from apps.coupons.payments import refunds
from apps.shops.members import membership
from apps.shops.models import Shop, ShopGuest, ShopMember
from tests import races, sample_pictures
from tests.coupons import buyers
from tests.factories import RedemptionFactory, ShopMemberFactory, UserFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)
PATH, API = "/redeem/", "/api/orders/redeem"


@pytest.fixture
def paid(order: VoucherOrder) -> VoucherOrder:
    lifecycle.mark_paid(order)
    return order


@pytest.fixture
def cashier(bob: User, shop: Shop) -> User:
    """Bob, who redeems at the shop of the fixtures and is no staff."""
    ShopMemberFactory.create(shop=shop, user=bob)
    membership.sync_roles(bob)
    return bob


@pytest.fixture
def phone(cashier: User) -> Client:
    """Bob's phone, logged in to the site by a code."""
    return buyers.browser_client(cashier)


@pytest.fixture
def till(cashier: User) -> Client:
    """Bob's program."""
    return buyers.api_client(cashier)


def text(answer: Any) -> str:
    return str(answer.content.decode())


def token_in(page: str) -> str:
    return page.split('name="request_token" value="')[1].split('"')[0]


def redeem(till: Client, code: str, **headers: str) -> Any:
    return till.post(API, {"code": code}, content_type="application/json", headers=headers)


def status_of(order: VoucherOrder) -> str:
    return VoucherOrder.objects.get(pk=order.pk).status


def test_a_code_is_looked_up_and_redeemed_on_a_phone(phone: Client, paid: VoucherOrder) -> None:
    page = text(phone.get(PATH, {"code": redeem_codes.spell(paid.redeem_code).lower()}))
    assert all(words in page for words in ("Noodles at half price", "Lakeside Noodle House", "Alice"))
    assert status_of(paid) == Status.PAID, "looking redeems nothing"
    sent = {"code": paid.redeem_code, "request_token": token_in(page)}
    for _turn in ("first", "again, because its answer was lost"):
        done = text(phone.post(PATH, sent, follow=True))
        assert "verdict--good" in done
    assert done.count("Noodles at half price") == 2, "the answer, and a row of today's"
    assert (status_of(paid), Redemption.objects.count()) == (Status.USED, 1)
    assert list(ShopGuest.objects.values_list("shop", "user")) == [(paid.voucher.shop_id, paid.user_id)]
    page = text(phone.post(PATH, {"code": paid.redeem_code}))
    assert "This coupon was used today at " in page
    assert "Redeem it now" not in page


@pytest.mark.both_databases
def test_twenty_presses_at_once_redeem_once(till: Client, cashier: User, paid: VoucherOrder) -> None:
    keys = {"Idempotency-Key": "one-press"}
    answers: list[Any] = races.race(
        20, lambda _number: redeem(buyers.api_client(cashier), paid.redeem_code, **keys)
    )
    assert {answer.status_code for answer in answers} == {200}
    assert Redemption.objects.count() == 1
    assert redeem(till, paid.redeem_code, **{"Idempotency-Key": "another"}).status_code == 409


def test_another_shops_code_is_named_and_not_redeemed(
    phone: Client, till: Client, paid: VoucherOrder
) -> None:
    other = makers.shop("Other House")
    paid.voucher.shop = other
    paid.voucher.save()
    answer = phone.post(PATH, {"code": paid.redeem_code})
    assert answer.status_code == 403
    assert "This coupon is for another shop: Other House." in text(answer)
    assert redeem(till, paid.redeem_code).json()["code"] == "other_shop"
    assert status_of(paid) == Status.PAID


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "This order is not paid."),
        ([lifecycle.cancel], "This order was cancelled on "),
        ([lifecycle.mark_paid, refunds.refund_order], "This order was refunded on "),
    ],
)
def test_what_is_not_paid_is_not_redeemed(phone: Client, order: VoucherOrder, steps: Any, words: str) -> None:
    for step in steps:
        step(order)
    for answer in (
        phone.get(PATH, {"code": order.redeem_code}),
        phone.post(PATH, {"code": order.redeem_code}),
    ):
        assert words in text(answer)
    assert not Redemption.objects.exists()


@pytest.mark.both_databases
def test_an_expired_coupon_is_not_redeemed(phone: Client, paid: VoucherOrder) -> None:
    VoucherOrder.objects.update(valid_until=timezone.now() - timedelta(hours=1))
    assert "This coupon was valid until " in text(phone.post(PATH, {"code": paid.redeem_code}))


@pytest.mark.both_databases
def test_an_orders_number_and_a_lost_order_are_told_from_codes(
    phone: Client, paid: VoucherOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "This is the number of an order." in text(phone.get(PATH, {"code": str(paid.pk)}))
    lost = paid.pk + 1
    monkeypatch.setattr(recovery, "may_have_lost", lambda number: number == lost)
    answer = phone.get(PATH, {"code": str(lost)})
    assert (answer.status_code, "was lost with a server" in text(answer)) == (410, True)


def test_guesses_are_limited(phone: Client, till: Client, paid: VoucherOrder) -> None:
    for number in range(limits.WRONG_CODE_LIMIT.allowed):
        assert phone.get(PATH, {"code": f"wrong{number}"}).status_code == 404
    refused = phone.get(PATH, {"code": paid.redeem_code})
    assert (refused.status_code, int(refused["Retry-After"]) > 0) == (429, True)
    assert redeem(till, paid.redeem_code).status_code == 429


def test_who_works_at_no_shop_redeems_nothing(charlie: User, cashier: User, paid: VoucherOrder) -> None:
    guest = buyers.browser_client(charlie)
    for answer in (guest.get(PATH), guest.post(PATH, {"code": paid.redeem_code})):
        assert answer.status_code == 403
        assert "This page is for the people of a shop" in text(answer)
    assert Client().get(f"{PATH}?code={paid.redeem_code}")["Location"].startswith("/login/?next=/redeem/")
    owner = UserFactory.create(is_staff=True)
    assert redeem(buyers.api_client(owner), paid.redeem_code).status_code == 403
    ShopMember.objects.all().delete()
    assert redeem(buyers.api_client(cashier), paid.redeem_code).json()["code"] == "other_shop"
    membership.sync_roles(cashier)
    assert redeem(buyers.api_client(cashier), paid.redeem_code).json()["code"] == "forbidden"
    assert status_of(paid) == Status.PAID


def test_a_program_looks_up_redeems_and_lists(till: Client, paid: VoucherOrder) -> None:
    found = till.post(f"{API}/check", {"code": paid.redeem_code}, content_type="application/json").json()
    assert (found["shop"], found["person"], found["reason"]) == ("Lakeside Noodle House", "Alice", "")
    assert till.get("/api/orders/redeemed").json()["items"] == []
    assert redeem(till, paid.redeem_code).json()["status"] == "used"
    found = till.post(f"{API}/check", {"code": paid.redeem_code}, content_type="application/json").json()
    assert found["reason"].startswith("This coupon was used today at ")
    (row,) = till.get("/api/orders/redeemed").json()["items"]
    assert row["id"] == str(paid.pk)


def photo_of(link: str) -> SimpleUploadedFile:
    """A turned, small code in a large photo."""
    code = qrcode.make(link).get_image().convert("L").resize((500, 500))
    table = Image.new("L", (2400, 1800), 180)
    table.paste(code.rotate(20, expand=True, fillcolor=180), (900, 500))
    drawn = BytesIO()
    table.save(drawn, "JPEG", quality=70)
    return SimpleUploadedFile("photo.jpg", drawn.getvalue(), "image/jpeg")


def test_a_photo_of_the_code_is_read(phone: Client, paid: VoucherOrder) -> None:
    photo = photo_of(f"http://testserver/redeem/?code={paid.redeem_code}")
    page = text(phone.post(f"{PATH}scan/", {"photo": photo}, follow=True))
    assert "Redeem it now" in page
    for sent, words in (
        (sample_pictures.make_picture(), "There is no QR code to be read in this photo."),
        (b"no picture", "This is no picture we can read"),
    ):
        answer = phone.post(f"{PATH}scan/", {"photo": SimpleUploadedFile("p.jpg", sent, "image/jpeg")})
        assert (answer.status_code, words in text(answer)) == (422, True)


def test_only_the_counter_may_ask_for_the_camera(phone: Client, cashier: User) -> None:
    assert "camera=(self)" in phone.get(PATH)["Permissions-Policy"]
    assert "camera=()" in phone.get("/me/")["Permissions-Policy"]


def test_ones_own_page_leads_to_the_work(phone: Client, cashier: User, alice: User, shop: Shop) -> None:
    assert 'href="/redeem/"' in text(phone.get("/me/"))
    assert "whatever your role has" not in text(phone.get("/me/"))
    assert "My work" not in text(buyers.browser_client(alice).get("/me/"))
    ShopMemberFactory.create(shop=shop, user=alice, owner=True)
    membership.sync_roles(alice)
    page = text(buyers.browser_client(alice).get("/me/"))
    assert all(f'href="{path}"' in page for path in ("/redeem/", f"/shops/{shop.pk}/people/"))
    assert "whatever your role has" in page


def test_the_counter_costs_the_same_after_twenty(
    phone: Client,
    cashier: User,
    make_sale: Callable[..., Any],
    charlie: User,
    django_assert_max_num_queries: Any,
) -> None:
    for _number in range(20):
        order = buyers.create_order(make_sale(), charlie)
        RedemptionFactory.create(order=order, cashier=cashier)
    with django_assert_max_num_queries(8):
        assert text(phone.get(PATH)).count("counter-row") == 20
