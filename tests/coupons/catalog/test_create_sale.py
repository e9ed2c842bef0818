import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.coupons.catalog import offers
from apps.coupons.claims import seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import FlashSale, Voucher
from apps.shops.models import Shop

pytestmark = pytest.mark.django_db(transaction=True)


def run_command(*words: str) -> Any:
    printed = StringIO()
    call_command("create_sale", *words, "--json", stdout=printed)
    return json.loads(printed.getvalue())


def test_a_sale_can_be_claimed_at_once() -> None:
    sale = run_command("--stock", "2")
    assert sale["loaded"] is True
    assert seckill.claim(sale["voucher_id"], user_id=1, request_token="t").outcome is Outcome.ACCEPTED
    assert seckill.read_stock(sale["voucher_id"]) == 1


@pytest.mark.both_databases
def test_nobody_sees_it_in_a_list() -> None:
    voucher = Voucher.objects.get(pk=run_command("--stock", "2")["voucher_id"])
    assert not voucher.shop.is_listed
    assert not Voucher.objects.offered().exists()
    assert offers.list_shop_page(voucher.shop_id, cursor="").items == []


def test_the_load_lab_is_made_once() -> None:
    run_command("--stock", "2")
    run_command("--stock", "3")
    assert Shop.objects.count() == 1


@pytest.mark.both_databases
def test_another_shop_may_be_named(shop: Shop) -> None:
    sale = run_command("--stock", "2", "--shop", str(shop.pk))
    assert Voucher.objects.get(pk=sale["voucher_id"]).shop == shop


def test_it_begins_and_ends_when_it_is_told() -> None:
    sale = FlashSale.objects.get(
        pk=run_command("--stock", "2", "--begins-in", "60", "--lasts", "30")["voucher_id"]
    )
    assert (sale.ends_at - sale.begins_at).total_seconds() == 30
    assert seckill.claim(sale.pk, user_id=1, request_token="t").outcome is Outcome.NOT_STARTED


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--stock", "0"], "Between 1 and"),
        (["--stock", "1", "--lasts", "0"], "must end after"),
        (["--stock", "1", "--lasts", "1e300"], "no such time"),
        (["--stock", "1", "--shop", "99"], "there is no shop 99"),
    ],
)
def test_what_cannot_be_is_a_sentence(words: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run_command(*words)
