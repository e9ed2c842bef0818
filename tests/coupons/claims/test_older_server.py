"""A server that comes back older than what was promised sells nothing before its sales are loaded again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

import pytest
import redis
from django.db import transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.buyer import purchases
from apps.coupons.claims import loading, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import FlashSale, Voucher, WebProcess
from apps.web.problems import Problem
from tests.coupons.conftest import MakeSale
from tests.sites import wait_until

OTHER_RUN_ID = "0" * 40
#: How many sales a claim of this one loads, and how many the consumers' look at all.
LOADS = [
    pytest.param(lambda sale: loading.load(sale.pk), id="of a claim"),
    pytest.param(lambda _: loading.load_unusable(), id="of a consumer"),
]


def claim(sale: FlashSale, user_id: int, token: str = "t") -> seckill.ClaimAnswer:
    return seckill.claim(sale.pk, user_id=user_id, request_token=token)


def age(sale: FlashSale, guarded_redis: redis.Redis) -> None:
    """Leave the sale as a copy of another run of the server would."""
    guarded_redis.hset(keys.for_sale(sale.pk).sale, "server", OTHER_RUN_ID)


@pytest.mark.django_db(transaction=True)
def test_another_run_of_the_server_loads_before_it_sells(
    make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    sale = make_sale()
    age(sale, guarded_redis)
    with pytest.raises(Problem) as refused:
        purchases.claim_unit(sale.pk, user_id=1, request_token="t")
    assert refused.value.code == "not_ready"
    assert seckill.read_stock(sale.pk) == 10
    wait_until(lambda: claim(sale, 1).outcome is Outcome.ACCEPTED, seconds=60, every=0.01)
    # The gate opens just before the load's commit.
    wait_until(lambda: FlashSale.objects.get(pk=sale.pk).epoch == 2, seconds=60)


def test_a_load_of_another_run_does_not_count(sale: FlashSale, guarded_redis: redis.Redis) -> None:
    assert loading.is_loaded(sale)
    age(sale, guarded_redis)
    assert not loading.is_loaded(sale)
    assert loading.load(sale.pk)
    sale.refresh_from_db()
    assert loading.is_loaded(sale)


def test_no_load_gives_out_ids_that_an_earlier_one_may_have_promised(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    """All within a second, and nothing of it was ever recorded."""
    promised = []
    for _ in range(5):
        promised.append(claim(sale, alice.pk).order_id or 0)
        guarded_redis.flushall()
        assert loading.load(sale.pk)
    assert promised == sorted(set(promised))


def test_consumers_load_sales_that_nobody_claims(sale: FlashSale, guarded_redis: redis.Redis) -> None:
    assert loading.load_unusable() == 0
    age(sale, guarded_redis)
    assert loading.load_unusable() == 1
    sale.refresh_from_db()
    assert loading.is_loaded(sale)


def test_another_run_holds_units_for_receipts_and_then_opens(
    sale: FlashSale, guarded_redis: redis.Redis, settings: Settings
) -> None:
    """It may have lost claims of its last moments."""
    settings.SALE_HOLD_SECONDS = 600
    age(sale, guarded_redis)
    loading.load_unusable()
    held = keys.for_sale(sale.pk)
    assert guarded_redis.hget(held.sale, "state") == "recovering"
    assert loading.load_unusable() == 0
    guarded_redis.hset(held.sale, "hold_until", "1")
    assert loading.load_unusable() == 1
    sale.refresh_from_db()
    assert loading.is_loaded(sale)
    assert sale.lost_at


@contextmanager
def dying_loader(died_in: str = "_open_gate") -> Iterator[None]:
    """Whoever loads in the block dies there, with the gate closed."""
    with (
        mock.patch.object(loading, died_in, side_effect=redis.ConnectionError),
        pytest.raises(redis.ConnectionError),
        transaction.atomic(),
    ):
        yield


@pytest.mark.parametrize("load", LOADS)
def test_a_sale_whose_loader_died_is_loaded(
    sale: FlashSale, guarded_redis: redis.Redis, load: Callable[[FlashSale], object]
) -> None:
    with dying_loader():
        loading.load(sale.pk, force=True)
    assert guarded_redis.hget(keys.for_sale(sale.pk).sale, "state") == "closed"
    assert load(sale) == 1
    sale.refresh_from_db()
    assert loading.is_loaded(sale)
    assert sale.lost_at is None
    assert load(sale) == 0


@pytest.mark.parametrize("hold_until", ["", "1"], ids=["in the hold", "after it"])
@pytest.mark.parametrize("load", LOADS)
def test_orders_come_back_though_a_loader_died_in_the_hold(
    sale: FlashSale,
    guarded_redis: redis.Redis,
    settings: Settings,
    load: Callable[[FlashSale], object],
    hold_until: str,
) -> None:
    """One that knows no end of the hold would leave its receipts, and the sale, waiting until then."""
    settings.SALE_HOLD_SECONDS = 600
    age(sale, guarded_redis)
    loading.load_unusable()
    held = keys.for_sale(sale.pk).sale
    if hold_until:
        WebProcess.objects.create(name="1:2:3", seen_at=timezone.now())
        guarded_redis.hset(held, "hold_until", hold_until)
    with dying_loader():
        loading.load(sale.pk, force=True)
    assert guarded_redis.hget(held, "state") == "closed"
    assert load(sale) == 1
    assert guarded_redis.hget(held, "state") == "recovering"
    assert load(sale) == 0


@pytest.mark.parametrize("died_in", ["_stage_hashes", "_open_gate"])
@pytest.mark.parametrize("load", LOADS)
def test_another_run_holds_units_though_its_first_loader_died(
    sale: FlashSale,
    guarded_redis: redis.Redis,
    settings: Settings,
    load: Callable[[FlashSale], object],
    died_in: str,
) -> None:
    """The gate that it had closed says nothing of what the older server may have promised."""
    settings.SALE_HOLD_SECONDS = 600
    age(sale, guarded_redis)
    with dying_loader(died_in):
        load(sale)
    held = keys.for_sale(sale.pk).sale
    assert guarded_redis.hget(held, "state") == "closed"
    assert load(sale) == 1
    assert guarded_redis.hget(held, "state") == "recovering"


def test_another_run_holds_units_of_a_sale_that_was_off_the_site_meanwhile(
    sale: FlashSale, guarded_redis: redis.Redis, settings: Settings
) -> None:
    settings.SALE_HOLD_SECONDS = 600
    age(sale, guarded_redis)
    Voucher.objects.filter(pk=sale.pk).update(is_offered=False)
    assert loading.load(sale.pk) is False
    held = keys.for_sale(sale.pk).sale
    assert guarded_redis.hget(held, "state") == "absent"
    # Its mark expires.
    guarded_redis.delete(held)
    Voucher.objects.filter(pk=sale.pk).update(is_offered=True)
    assert loading.load(sale.pk)
    assert guarded_redis.hget(held, "state") == "recovering"


def test_a_server_that_was_stopped_in_order_has_lost_nothing(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis, settings: Settings
) -> None:
    settings.SALE_HOLD_SECONDS = 600
    accepted = claim(sale, alice.pk)
    age(sale, guarded_redis)
    assert loading.load_after_orderly_stop(OTHER_RUN_ID) == 1
    sale.refresh_from_db()
    assert loading.is_loaded(sale)
    assert sale.lost_at is None
    assert seckill.read_stock(sale.pk) == 9
    assert claim(sale, alice.pk).order_id == accepted.order_id
    assert loading.load_after_orderly_stop(OTHER_RUN_ID) == 0


def test_only_the_run_that_was_stopped_in_order_has_lost_nothing(
    sale: FlashSale, guarded_redis: redis.Redis, settings: Settings
) -> None:
    settings.SALE_HOLD_SECONDS = 600
    age(sale, guarded_redis)
    assert loading.load_after_orderly_stop("1" * 40) == 0
    assert loading.load_unusable() == 1
    assert guarded_redis.hget(keys.for_sale(sale.pk).sale, "state") == "recovering"


def test_an_older_copy_of_a_server_that_was_stopped_in_order_is_no_newer(
    sale: FlashSale, guarded_redis: redis.Redis, settings: Settings
) -> None:
    """Files of a backup under a record of the stop."""
    settings.SALE_HOLD_SECONDS = 600
    FlashSale.objects.filter(pk=sale.pk).update(epoch=5)
    age(sale, guarded_redis)
    loading.load_after_orderly_stop(OTHER_RUN_ID)
    assert guarded_redis.hget(keys.for_sale(sale.pk).sale, "state") == "recovering"
