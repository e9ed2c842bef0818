"""Vouchers out of files."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from io import BytesIO

import pytest
from django.test import Client
from django.utils import timezone
from openpyxl import Workbook

from apps.coupons import importing
from apps.coupons.models import Voucher
from apps.imports import running
from apps.imports.models import Import
from apps.shops.models import Shop
from tests.factories import FlashSaleFactory, ShopFactory, VoucherFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
HEADINGS = "shop,title_en,title_zh,price,value,valid_until,offered\n"


def write(text: str | bytes) -> Import:
    data = text.encode() if isinstance(text, str) else text
    run = running.start(importing.VOUCHERS, BytesIO(data), name="v.csv", by=None, by_worker=False)
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


def sheet(*rows: Sequence[object]) -> bytes:
    book, file = Workbook(), BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "day", [datetime(2099, 12, 31), date(2099, 12, 31), "2099/12/31 0:00", "2099年12月31日"]
)
def test_a_coupon_is_valid_to_the_end_of_the_day_that_a_cell_says(day: object) -> None:
    run = write(sheet(HEADINGS.strip().split(","), ["lake-1", "A", "", 1, 2, day, "yes"]))
    assert (run.created, run.refused) == (1, 0)
    assert Voucher.objects.get().valid_until == datetime(2099, 12, 31, 16, tzinfo=UTC)


@pytest.mark.usefixtures("shop")
def test_a_comma_parts_decimals_beside_semicolons_and_two_readings_are_refused() -> None:
    rows = "shop;title_en;price;value\nlake-1;A;12,50;100\nlake-1;B;0,99;9,90\nlake-1;C;1,250;9.900\n"
    run = write(rows)
    assert sorted(Voucher.objects.values_list("price", "value")) == [(99, 990), (1_250, 10_000)]
    assert "may be 1.250 or 1250" in run.refusals.get().reason


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "headings", ["shop,店铺", "有效期至,valid_until", "valid until,valid_until", "price,buyers pay"]
)
def test_two_headings_of_one_meaning_are_told(headings: str) -> None:
    run = write_refused(f"{headings},title_en\nlake-1,lake-1,A\n")
    one, other = headings.split(",")
    assert f"“{one}” and “{other}” mean the same" in run.error


def write_refused(text: str) -> Import:
    run = running.start(importing.VOUCHERS, BytesIO(text.encode()), name="v.csv", by=None, by_worker=False)
    return running.go_on(run.pk)


def make_vouchers_of_all_kinds(shop: Shop) -> None:
    now = timezone.now()
    FlashSaleFactory.create(voucher__shop=shop, voucher__title_en="Same", voucher__per_person=3)
    for number, (title, rules, until) in enumerate(
        [
            ("Same", "", None),
            ("=1+1", "two\nlines, and a comma", datetime(2099, 12, 31, 16, tzinfo=UTC)),
            ("'quoted' \"twice\"", " edges ", now + timedelta(days=30)),
            ("two  spaces", "\r\nkept\r\n", datetime(2099, 12, 31, 15, 59, tzinfo=UTC)),
            ("❤️ 👨‍👩‍👧", "10.50", datetime(2099, 6, 1, 4, tzinfo=UTC)),
            ("1234567890123456789", "+86 571", datetime(2020, 1, 1, tzinfo=UTC)),
        ],
        start=1,
    ):
        VoucherFactory.create(
            shop=shop, title_en=title, title_zh="双人餐", rules_en=rules, rules_zh="", per_person=number,
            price=number * 99, valid_until=until, is_offered=bool(number % 2), value=99_900,
        )  # fmt: skip
    VoucherFactory.create(
        shop=ShopFactory.create(name_en=shop.name_en), currency="JPY", price=4_900, value=9_900
    )


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_an_export_that_comes_back_changes_nothing(shop: Shop, boss: Client, language: str) -> None:
    make_vouchers_of_all_kinds(shop)
    before = list(Voucher.objects.order_by("pk").values())
    exported = b"".join(boss.get("/admin/coupons/voucher/export/", headers={"accept-language": language}))
    run = write_refused(exported.decode())
    assert (run.error, list(run.refusals.values_list("reason", flat=True))) == ("", [])
    assert (run.created, run.changed, run.unchanged) == (0, 0, len(before))
    assert list(Voucher.objects.order_by("pk").values()) == before
    changed = exported.decode().replace("双人餐", "三人餐")
    assert write(changed).changed == 6
    assert set(Voucher.objects.exclude(title_zh="").values_list("title_zh", flat=True)) >= {"三人餐"}


def test_a_number_of_another_shop_or_of_none_moves_no_voucher(shop: Shop) -> None:
    voucher = VoucherFactory.create(title_en="A", title_zh="")
    run = write(
        "voucher number,shop,title_en,price,value,per_person\n"
        f"{voucher.pk},lake-1,B,1,2,1\n{voucher.pk + 1},lake-1,C,1,2,1\n,lake-1,D,1,2,21\n,lake-1,E,1,2,3\n"
    )
    reasons = list(run.refusals.order_by("line").values_list("reason", flat=True))
    assert [words in reason for words, reason in zip(
        ("is of another shop", "There is no voucher", "Between 1 and 20"), reasons, strict=True
    )] == [True] * 3  # fmt: skip
    assert (Voucher.objects.get(shop=shop).title_en, Voucher.objects.get(shop=shop).per_person) == ("E", 3)


def test_how_many_a_sale_gives_each_is_not_changed_by_a_file(shop: Shop) -> None:
    sale = FlashSaleFactory.create(voucher__shop=shop, voucher__title_en="A", voucher__title_zh="")
    run = write("shop,title_en,per_person\nlake-1,A,5\n")
    assert "changed on the sale's own page" in run.refusals.get().reason
    assert Voucher.objects.get(pk=sale.pk).per_person == 1


def test_amounts_of_another_currency_are_not_taken_for_the_site_s(shop: Shop) -> None:
    run = write("shop,title_en,price,value,currency\nlake-1,A,4900,9900,JPY\n")
    assert "in CNY, and the file's in JPY" in run.refusals.get().reason
