"""`forget_load`: people and sales of load tests go with all that they left, and nothing of others does."""

import json
from collections.abc import Callable
from io import StringIO

import pytest
import redis
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from apps.accounts.deletion import deletions
from apps.accounts.models import AccessToken, AccountDeletion, User
from apps.coupons import keys
from apps.coupons.catalog import findable_sales, load_lab
from apps.coupons.claims import loading, seckill
from apps.coupons.models import (
    Charge,
    FlashSale,
    Payment,
    SandboxCharge,
    Status,
    StockLedger,
    Voucher,
    VoucherOrder,
)
from apps.coupons.orders import lifecycle
from apps.demo import load_removal
from apps.follows.models import Standing
from apps.redis_kit import schema
from apps.search.index import rebuilding as search_index
from apps.search.suggest import indexing as names_index
from apps.shops.geo import rebuilding
from tests.backoffice import full_lives
from tests.coupons import buyers, payers
from tests.demo.test_mint_tokens import mint
from tests.differences import find_differences
from tests.factories import FlashSaleFactory, ShopFactory, UserFactory, VoucherFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def demo(settings: Settings) -> None:
    settings.DEMO = True
    settings.SMS_SENDER = "tests.accounts.sms_recorder.RecordingSender"


def make_sale(units: int, *, shop: int | None = None) -> FlashSale:
    words = ["--shop", str(shop)] if shop else []
    printed = StringIO()
    call_command("create_sale", "--stock", str(units), *words, "--json", stdout=printed)
    return FlashSale.objects.get(pk=json.loads(printed.getvalue())["voucher_id"])


def make_people(count: int) -> list[User]:
    mint(count, "-")
    return list(User.objects.filter(is_made_for_load=True).order_by("phone"))


def forget() -> str:
    printed = StringIO()
    call_command("forget_load", stdout=printed, verbosity=0)
    return printed.getvalue()


def list_keys_of_things(connected: redis.Redis) -> set[str]:
    """The patterns of keys of one person or sale that Redis has and that stay for more than an hour."""
    lasting = (key for key in connected.scan_iter() if not 0 <= connected.ttl(key) <= 3_600)
    known = [declared for key in lasting if (declared := schema.match(key))]
    return {key.pattern for key in known if {"user", "who", "voucher"} & set(key.fields)}


@pytest.mark.both_databases
def test_people_orders_and_sales_go_and_reconcile_is_clean(guarded_redis: redis.Redis) -> None:
    search_index.rebuild(lambda _done, _total: None)
    names_index.rebuild(lambda _done, _total: None)
    rebuilding.rebuild()
    sale, (first, second, _third) = make_sale(2), make_people(3)
    payers.pay_order(buyers.create_order(sale, first))
    lifecycle.cancel(buyers.create_order(sale, second))
    assert list_keys_of_things(guarded_redis) >= {keys.BUYERS.pattern, keys.RELEASED.pattern}
    assert forget() == "Removed 3 people, 2 orders and 1 sales.\n"
    for model in (VoucherOrder, StockLedger, Payment, SandboxCharge, FlashSale, Voucher, AccessToken, User):
        assert not model._default_manager.exists()
    assert find_differences() == []
    assert list_keys_of_things(guarded_redis) == set()


@pytest.mark.both_databases
def test_orders_that_were_paid_at_once_go_with_their_charge(alice: User) -> None:
    voucher = VoucherFactory.create(per_person=2)
    loader, *_ = make_people(1)
    charges = [
        payers.begin_together(
            [lifecycle.create_order(voucher, user=user, request_token=token) for token in ("a", "b")]
        )
        for user in (loader, alice)
    ]
    forget()
    assert list(Charge.objects.all()) == charges[1:]
    assert SandboxCharge.objects.get().reference == charges[1].reference
    assert Payment.objects.count() == 2


def test_again_and_again_is_harmless() -> None:
    make_sale(2)
    make_people(2)
    forget()
    assert forget() == "Removed 0 people, 0 orders and 0 sales.\n"
    assert len(make_people(2)) == 2


@pytest.mark.both_databases
def test_units_bought_in_real_sales_are_for_sale_again(alice: User, bob: User) -> None:
    sale = FlashSaleFactory.create(stock_total=3)
    loading.load(sale.pk)
    findable_sales.update_all()
    loader, *_ = make_people(1)
    kept = [buyers.create_order(sale, user) for user in (alice, bob)]
    buyers.create_order(sale, loader)
    assert seckill.read_stock(sale.pk) == 0
    forget()
    sale.refresh_from_db()
    assert (sale.stock_left, seckill.read_stock(sale.pk)) == (1, 1)
    assert list(VoucherOrder.objects.order_by("pk")) == kept
    assert Voucher.objects.get(pk=sale.pk).is_offered
    assert find_differences("coupons") == []
    assert seckill.claim(sale.pk, user_id=alice.pk, request_token="of-1").order_id == kept[0].pk


def test_a_sale_in_which_others_bought_stays_withdrawn(alice: User) -> None:
    sale, (loader,) = make_sale(5, shop=ShopFactory.create().pk), make_people(1)
    mine = buyers.create_order(sale, alice)
    buyers.create_order(sale, loader)
    assert "0 people stay as accounts without a name and 1 sales withdrawn" in forget()
    assert list(VoucherOrder.objects.all()) == [mine]
    assert mine.status == Status.UNPAID
    assert not Voucher.objects.get(pk=sale.pk).is_offered
    assert find_differences("coupons") == []


def test_who_did_everything_leaves_what_others_need(alice: User, bob: User) -> None:
    """As a deleted account does: rows that answers hang on name an account without a name."""
    loader = UserFactory.create(pk=987_654, phone="+9990000000000", nickname="Load", is_made_for_load=True)
    full_lives.live(loader, alice, bob)
    rebuilding.rebuild()
    find_differences(fix=True)
    forget()
    rest = User.objects.get(pk=loader.pk)
    assert (rest.nickname, rest.is_active, rest.is_made_for_load) == ("Deleted account", False, False)
    assert deletions.find_leftovers([loader.pk]) == {}
    assert not VoucherOrder.objects.filter(user=loader.pk).exists()
    assert Standing.objects.get(pk=alice.pk).followers == 0
    assert find_differences() == []


def test_real_people_and_their_log_ins_stay(alice: User) -> None:
    raw = buyers.issue_token_without_copy(alice)
    AccountDeletion.objects.all().delete()
    make_people(2)
    forget()
    assert list(User.objects.all()) == [alice]
    assert AccessToken.objects.live().filter(user=alice).count() == 1
    assert raw


def test_orders_that_no_consumer_records_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    sale, (loader,) = make_sale(5), make_people(1)
    waiting = buyers.queue_order(sale, loader)
    monkeypatch.setattr(load_removal, "DRAIN_SECONDS", 0.0)
    with pytest.raises(CommandError, match="1 orders of a load test are no rows yet: start the order"):
        forget()
    # Nothing is lost, and nobody of them gets in any more.
    assert User.objects.filter(is_made_for_load=True).exists()
    assert not AccessToken.objects.live().exists()
    buyers.record_order(sale, waiting)
    assert forget().startswith("Removed 1 people, 1 orders and 1 sales")


def test_without_redis_it_says_so_and_goes_on_later(redis_away_now: Callable[[], None]) -> None:
    make_people(2)
    redis_away_now()
    with pytest.raises(CommandError, match="Redis does not answer: run this again when it does"):
        forget()
    assert User.objects.filter(is_made_for_load=True).count() == 2


def test_many_go_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_removal, "BATCH_PEOPLE", 2)
    make_people(5)
    seen: list[int] = []
    done = load_removal.remove(seen.append)
    assert (seen, done.people) == ([2, 4, 5], 5)
    assert load_lab.count_queued() == 0


def test_a_removal_that_was_cut_off_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_removal, "BATCH_PEOPLE", 2)
    rebuilding.rebuild()
    sale, people = make_sale(5), make_people(4)
    for user in people:
        buyers.create_order(sale, user)

    def stop(_done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_removal.remove(stop)
    assert User.objects.filter(is_made_for_load=True).count() == 2
    assert forget() == "Removed 2 people, 2 orders and 1 sales.\n"
    assert find_differences() == []
