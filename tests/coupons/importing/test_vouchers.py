"""Vouchers out of files."""

from io import BytesIO

import pytest

from apps.coupons import importing
from apps.coupons.models import Voucher
from apps.imports import running
from apps.imports.models import Import
from apps.shops.models import Shop
from tests.factories import ShopFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
HEADINGS = "shop,title_en,title_zh,price,value,valid_until,offered\n"


def write(text: str) -> Import:
    run = running.start(importing.VOUCHERS, BytesIO(text.encode()), name="v.csv", by=None, by_worker=False)
    running.go_on(run.pk)
    return running.go_on(running.confirm(run.pk, by_worker=False).pk)


@pytest.fixture
def shop(db: None) -> Shop:
    return ShopFactory.create(reference="lake-1")


def test_a_voucher_is_written_once_and_changed_by_its_titles(shop: Shop) -> None:
    row = "lake-1,88 for 100,88代100,88,100,2099-12-31,yes\n"
    assert write(HEADINGS + row).created == 1
    voucher = Voucher.objects.get()
    assert (voucher.shop, voucher.price, voucher.value, voucher.is_offered) == (shop, 8_800, 10_000, True)
    assert f"{voucher.valid_until:%Y-%m-%d}" == "2099-12-31"
    shop.refresh_from_db()
    assert shop.vouchers_until
    assert write(HEADINGS + row).unchanged == 1
    assert write(HEADINGS + row.replace(",88,100,", ",80,100,")).changed == 1
    assert Voucher.objects.get().price == 8_000


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("nowhere,A,,1,2,,yes", "There is no shop “nowhere”"),
        (",A,,1,2,,yes", "Say which shop"),
        ("lake-1,,,1,2,,yes", "Write this in one language at least"),
        ("lake-1,A,,3,2,,yes", "Buyers must pay less"),
        ("lake-1,A,,0,2,,yes", "Buyers must pay something"),
        ("lake-1,A,,1,,,yes", "Say it."),
        ("lake-1,A,,1,2,2020-01-01,yes", "That time has passed"),
        ("lake-1,A,,1,2,soon,yes", "“soon” is no day"),
        ("lake-1,A,,1,2,0001-01-01,yes", "has passed"),
        ("lake-1,A,,1,2,2099-02-31,yes", "is no day"),
        ("lake-1,A,,1,2,,perhaps", "neither yes nor no"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_a_bad_row_is_refused_in_words(row: str, why: str) -> None:
    run = write(HEADINGS + row + "\nlake-1,Good,,1,2,,yes\n")
    assert (run.created, run.refused) == (1, 1)
    assert why in run.refusals.get().reason


def test_two_shops_of_one_name_are_not_guessed_between(shop: Shop) -> None:
    other = ShopFactory.create(reference="other")
    run = write(HEADINGS + f"{shop.name_en},A,,1,2,,yes\n{other.pk},A,,1,2,,yes\n")
    assert "2 shops are called" in run.refusals.get().reason
    assert Voucher.objects.get().shop == other
