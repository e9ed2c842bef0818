from collections import Counter
from dataclasses import asdict
from datetime import timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.blog.models import Note, Photo
from apps.coupons import reconcile
from apps.coupons.models import FlashSale, Voucher, VoucherOrder
from apps.demo import city, people, sales, shops
from apps.redis_kit import client
from apps.shops import keys
from apps.shops.models import Shop, ShopType

pytestmark = pytest.mark.django_db(transaction=True)


def seed(count: int = 60) -> city.Made:
    return city.seed(count, progress=lambda *_: None)


def test_the_city_has_everything() -> None:
    made = seed()
    assert (made.people, made.shops, made.sales) == (people.PEOPLE + 1, 60, len(sales.SLOTS))
    assert ShopType.objects.count() == 10
    assert len(set(Shop.objects.values_list("city", flat=True))) == 2
    assert Voucher.objects.filter(sale=None).count() > 60
    assert client.get().zcard(keys.GEO(type=keys.ALL)) == 60
    assert User.objects.filter(phone=people.CUSTOMER_PHONE).exists()


def test_a_second_run_changes_nothing() -> None:
    seed()
    before = snapshot()
    assert set(asdict(seed()).values()) == {0}
    assert snapshot() == before


def snapshot() -> list[object]:
    tables = (ShopType, Shop, User, Voucher, FlashSale, VoucherOrder)
    return [list(table._default_manager.order_by("pk").values()) for table in tables]


def test_a_cut_off_run_is_completed() -> None:
    seed()
    whole = list(Shop.objects.order_by("pk").values_list("name", "lat", "lng", "price"))
    VoucherOrder.objects.all().delete()
    FlashSale.objects.all().delete()
    Voucher.objects.all().delete()
    Photo.objects.all().delete()
    Note.objects.all().delete()
    Shop.objects.filter(pk__gt=25).delete()
    made = seed()
    assert made.shops == 35
    assert list(Shop.objects.order_by("pk").values_list("name", "lat", "lng", "price")) == whole


def test_another_seed_is_another_city() -> None:
    types = shops.make_types()
    assert shops.shop(7, types, seed=1).lat != shops.shop(7, types, seed=2).lat
    assert shops.shop(7, types, seed=1).lat == shops.shop(7, types, seed=1).lat


def test_names_differ_and_every_value_is_valid() -> None:
    types = shops.make_types()
    made = [shops.shop(number, types, seed=city.SEED) for number in range(1, 481)]
    assert max(Counter(shop.name for shop in made).values()) == 1
    for shop in made:
        shop.full_clean(exclude=["id"])
        assert shop.is_open is not None


def test_a_sale_is_in_every_state_and_reconciles() -> None:
    seed()
    now = timezone.now()
    states = {
        "running": FlashSale.objects.filter(begins_at__lte=now, ends_at__gt=now, stock_left__gt=0),
        "soon": FlashSale.objects.filter(begins_at__gt=now, begins_at__lte=now + timedelta(minutes=6)),
        "tomorrow": FlashSale.objects.filter(begins_at__gt=now + timedelta(hours=20)),
        "sold out": FlashSale.objects.filter(stock_left=0, ends_at__gt=now),
        "ended": FlashSale.objects.filter(ends_at__lte=now),
    }
    assert [state for state, found in states.items() if not found.exists()] == []
    report = reconcile.run()
    assert report.violations == []


def test_days_later_there_is_a_sale_again() -> None:
    seed()
    with time_machine.travel(timezone.now() + timedelta(days=4), tick=True):
        made = seed()
        now = timezone.now()
        assert made.sales >= 4
        assert FlashSale.objects.filter(begins_at__lte=now, ends_at__gt=now, stock_left__gt=0).exists()
        assert FlashSale.objects.filter(begins_at__gt=now).exists()


def test_no_manager_is_made_where_real_people_are() -> None:
    seed()
    assert not User.objects.filter(is_staff=True).exists()


def test_the_demo_has_its_manager(settings: Settings) -> None:
    settings.DEMO = True
    seed()
    manager = User.objects.get(phone=people.MANAGER_PHONE)
    assert manager.is_superuser
    assert manager.check_password(people.MANAGER_PASSWORD)


def test_too_small_a_city_is_refused() -> None:
    with pytest.raises(CommandError, match="50"):
        call_command("seed_demo", shops=3)
