"""A seeded city has everything, a second run completes it, and its books agree."""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db.models import CharField, Model, Q, Value
from django.db.models.functions import Concat
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.blog.models import Comment, Like, Note, Photo
from apps.coupons.claims import loading
from apps.coupons.models import FlashSale, Payment, Redemption, SandboxCharge, Status, Voucher, VoucherOrder
from apps.coupons.models.payments import PaymentState
from apps.coupons.payments import refunds
from apps.coupons.reconcile import payment_invariants, reconciliation
from apps.demo import city, logins, people, sales, shops, staff
from apps.follows.models import Follow, Standing
from apps.shops import hours
from apps.shops.models import Shop, ShopType
from apps.signins.models import PointEntry, SignInMonth
from apps.signins.models import Standing as SignInStanding
from apps.web import in_language
from tests.demo.conftest import FreshCity

pytestmark = [pytest.mark.django_db, pytest.mark.wide, pytest.mark.usefixtures("fresh_city")]
CaptureOnCommit = Callable[..., AbstractContextManager[list[Callable[[], object]]]]
TABLES: tuple[type[Model], ...] = (
    *(ShopType, Shop, User, Voucher, FlashSale, VoucherOrder, Payment, SandboxCharge),
    *(Note, Photo, Like, Comment, Follow, Standing, SignInMonth, PointEntry, SignInStanding),
)


def seed() -> city.SeedCounts:
    return city.seed_city(60, progress=lambda *_: None)


def load_sales() -> None:
    """Redis was emptied before the test."""
    for sale in FlashSale.objects.all():
        loading.load(sale.pk)


def test_the_city_has_everything(fresh_city: FreshCity) -> None:
    made = fresh_city.made
    assert (made.people, made.shops, made.sales) == (people.PEOPLE_COUNT + 1, 60, len(sales.SALE_STATES))
    assert ShopType.objects.count() == 10
    assert len(set(Shop.objects.values_list("city_en", flat=True))) == 2
    assert Voucher.objects.filter(sale=None).count() > 60
    assert fresh_city.indexed_shops == 60
    assert User.objects.filter(phone=logins.CUSTOMER_PHONE).exists()


def test_a_second_run_changes_nothing() -> None:
    before = snapshot()
    assert set(asdict(seed()).values()) == {0}
    assert snapshot() == before


def snapshot() -> list[object]:
    return [list(table._default_manager.order_by("pk").values()) for table in TABLES]


def test_redis_agrees_with_sql_in_a_fresh_city(fresh_city: FreshCity) -> None:
    assert fresh_city.differences == {}


def test_a_cut_off_run_is_completed() -> None:
    whole = list(Shop.objects.order_by("pk").values_list("name_en", "lat", "lng", "price"))
    VoucherOrder.objects.all().delete()
    FlashSale.objects.all().delete()
    Voucher.objects.all().delete()
    Photo.objects.all().delete()
    Note.objects.all().delete()
    Shop.objects.filter(pk__gt=25).delete()
    made = seed()
    assert made.shops == 35
    assert list(Shop.objects.order_by("pk").values_list("name_en", "lat", "lng", "price")) == whole


def test_another_seed_is_another_city() -> None:
    types = shops.make_types()
    assert shops.build_shop(7, types, seed=1).lat != shops.build_shop(7, types, seed=2).lat
    assert shops.build_shop(7, types, seed=1).lat == shops.build_shop(7, types, seed=1).lat


def test_names_differ_and_every_value_is_valid() -> None:
    types = shops.make_types()
    made = [shops.build_shop(number, types, seed=city.DEFAULT_SEED) for number in range(1, 481)]
    assert max(Counter(shop.name for shop in made).values()) == 1
    for shop in made:
        shop.full_clean(exclude=["id"])
        assert hours.load(shop.schedule)
        texts = in_language.by_language(shop, ("name", "about", "city", "area", "address"))
        assert {in_language.language_of(text) for text in texts["en"].values()} == {"en"}
        assert {in_language.language_of(text) for text in texts["zh-hans"].values()} == {"zh-Hans"}


def test_somebody_is_open_at_any_hour_and_somebody_rests() -> None:
    """Sixty shops are the smallest city that people start."""
    types = shops.make_types()
    made = [shops.build_shop(number, types, seed=city.DEFAULT_SEED) for number in range(1, 61)]
    calendar = hours.Calendar(ZoneInfo("Asia/Shanghai"))
    monday = datetime(2026, 11, 30, tzinfo=calendar.zone)
    for hour in range(24):
        states = [
            hours.read_state(hours.load(shop.schedule), calendar, at=monday + timedelta(hours=hour))
            for shop in made
        ]
        assert sum(bool(state.is_open) for state in states) >= 5
        assert all(state.is_open or state.opens for state in states)
    assert any("Mo off" in shop.schedule for shop in made)


def test_a_sale_is_in_every_state_and_reconciles(fresh_city: FreshCity) -> None:
    now = timezone.now()
    states = {
        "running": FlashSale.objects.filter(begins_at__lte=now, ends_at__gt=now, stock_left__gt=0),
        "soon": FlashSale.objects.filter(begins_at__gt=now, begins_at__lte=now + timedelta(minutes=6)),
        "tomorrow": FlashSale.objects.filter(begins_at__gt=now + timedelta(hours=20)),
        "sold out": FlashSale.objects.filter(stock_left=0, ends_at__gt=now),
        "ended": FlashSale.objects.filter(ends_at__lte=now),
    }
    assert [state for state, found in states.items() if not found.exists()] == []
    paid = VoucherOrder.objects.filter(status__in=[Status.PAID, Status.USED, Status.REFUNDED])
    assert fresh_city.sales.violations == []
    assert fresh_city.sales.payments == paid.count() > 100


def test_a_demo_that_is_started_again_gets_another_coming_sale() -> None:
    soon = Q(begins_at__gt=timezone.now(), begins_at__lte=timezone.now() + timedelta(minutes=30))
    titles = []
    for _start in sales.COMING:
        coming = FlashSale.objects.get(soon)
        titles.append(coming.voucher.title_en)
        FlashSale.objects.filter(pk=coming.pk).update(begins_at=timezone.now() - timedelta(minutes=1))
        assert sales.make() == 1
    assert sorted(titles) == sorted(one.title[0] for one in sales.COMING)


def test_a_refund_of_a_demo_order_moves_its_money(
    settings: Settings, django_capture_on_commit_callbacks: CaptureOnCommit
) -> None:
    settings.DEMO = True
    load_sales()
    order = VoucherOrder.objects.filter(status=Status.PAID).first()
    assert order
    payment = Payment.objects.get(order_id=order.pk)
    assert (payment.amount, payment.currency) == (order.price, order.currency)
    with django_capture_on_commit_callbacks(execute=True):
        refunds.refund_order(order)
    payment.refresh_from_db()
    assert (payment.state, payment.reason) == (PaymentState.REFUNDED, "")
    charge = SandboxCharge.objects.get(pk=payment.reference)
    assert (charge.state, charge.refunds_asked) == (SandboxCharge.State.REFUNDED, 1)
    assert reconciliation.run().clean


def test_an_older_demo_gets_its_payments_once() -> None:
    """Orders from before there were payments, in each state that one had paid for."""
    count = Payment.objects.count()
    used, refunded, cancelled, begun = VoucherOrder.objects.filter(status=Status.PAID)[:4]
    now = timezone.now()
    for order, status in ((used, Status.USED), (refunded, Status.REFUNDED), (cancelled, Status.CANCELLED)):
        VoucherOrder.objects.filter(pk=order.pk).update(status=status, refunded_at=now)
    kept = Payment.objects.get(order_id=begun.pk)
    Payment.objects.exclude(pk=kept.pk).delete()
    SandboxCharge.objects.exclude(pk=kept.reference).delete()
    assert seed().payments == count - 2, "the cancelled one had none, and one is there"
    assert seed().payments == 0
    assert Payment.objects.get(order_id=used.pk).state == PaymentState.SUCCEEDED
    back = Payment.objects.get(order_id=refunded.pk)
    assert (back.state, back.refunded_at) == (PaymentState.REFUNDED, now)
    assert SandboxCharge.objects.get(pk=back.reference).state == SandboxCharge.State.REFUNDED
    assert not Payment.objects.filter(order_id=cancelled.pk).exists()
    assert list(payment_invariants.find_violations()) == []


def test_orders_that_are_not_the_demos_get_none() -> None:
    VoucherOrder.objects.update(token=Concat(Value("of-"), "pk", output_field=CharField()))
    Payment.objects.all().delete()
    assert seed().payments == 0


def test_days_later_there_is_a_sale_again() -> None:
    with time_machine.travel(timezone.now() + timedelta(days=4), tick=True):
        made = seed()
        now = timezone.now()
        assert made.sales >= 4
        assert FlashSale.objects.filter(begins_at__lte=now, ends_at__gt=now, stock_left__gt=0).exists()
        assert FlashSale.objects.filter(begins_at__gt=now).exists()


def test_no_manager_is_made_where_real_people_are() -> None:
    assert not User.objects.filter(is_staff=True).exists()


def test_the_demo_has_its_manager(settings: Settings) -> None:
    settings.DEMO = True
    seed()
    manager = User.objects.get(phone=logins.MANAGER_PHONE)
    assert manager.is_superuser
    assert manager.check_password(logins.MANAGER_PASSWORD)


def test_the_demo_has_an_owner_and_a_cashier_with_a_running_sale(settings: Settings) -> None:
    settings.DEMO = True
    seed()
    owner, cashier = (User.objects.get(phone=phone) for phone in (logins.OWNER_PHONE, logins.CASHIER_PHONE))
    assert (owner.is_staff, cashier.is_staff) == (True, False)
    shops_of_owner = Shop.objects.filter(members__user=owner, members__role="owner")
    running = FlashSale.objects.filter(voucher__shop__in=shops_of_owner, ends_at__gt=timezone.now())
    assert running.filter(stock_left__gt=0).exists()
    assert Redemption.objects.filter(cashier=cashier).count() == staff.REDEEMED_ORDERS


def test_too_small_a_city_is_refused() -> None:
    with pytest.raises(CommandError, match="50"):
        call_command("seed_demo", shops=3)
