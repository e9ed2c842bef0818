"""Amounts are written by language and currency, with as many decimals as the currency has."""

import pytest
from django.test import Client
from django.utils import translation
from pytest_django.fixtures import Settings

from apps.ads.money import amounts
from apps.shops import filters, findable_shops, money
from apps.shops.money_field import AmountField
from tests import markup
from tests.factories import VoucherFactory
from tests.shops import makers


@pytest.mark.parametrize(
    ("minor", "currency", "english", "chinese"),
    [
        (4_900, "CNY", "¥49", "¥49"),
        (4_990, "CNY", "¥49.90", "¥49.90"),
        (123_456_789, "CNY", "¥1,234,567.89", "¥1,234,567.89"),
        (0, "CNY", "¥0", "¥0"),
        (4_900, "JPY", "¥4,900", "¥4,900"),
        (1, "JPY", "¥1", "¥1"),
        (1_500, "KWD", "KWD\xa01.500", "KWD\xa01.500"),
        (1_000, "KWD", "KWD\xa01", "KWD\xa01"),
        (4_990, "USD", "$49.90", "$49.90"),
        (4_990, "HKD", "$49.90", "$49.90"),
    ],
)
def test_an_amount_of_the_site_s_currency(
    settings: Settings, minor: int, currency: str, english: str, chinese: str
) -> None:
    settings.CURRENCY = currency
    with translation.override("en"):
        assert money.format_amount(minor, currency) == english
    with translation.override("zh-hans"):
        assert money.format_amount(minor, currency) == chinese


def test_another_currency_is_told_apart(settings: Settings) -> None:
    settings.CURRENCY = "JPY"
    assert money.format_amount(4_990, "CNY") == "CN¥49.90"
    with translation.override("zh-hans"):
        assert money.format_amount(4_990, "USD") == "US$49.90"
    with translation.override("de"):
        assert money.format_amount(4_990, "EUR") == "49,90\xa0€"
    with translation.override("tlh"):
        assert money.format_amount(4_990, "EUR") == "€49.90"


@pytest.mark.parametrize(
    ("currency", "written", "minor", "shown"),
    [
        ("CNY", "49.9", 4_990, "49.90"),
        ("JPY", "4900", 4_900, "4900"),
        ("KWD", "1.5", 1_500, "1.500"),
        ("KWD", "1.005", 1_005, "1.005"),
    ],
)
def test_a_field_takes_whole_units_and_decimals(
    settings: Settings, currency: str, written: str, minor: int, shown: str
) -> None:
    settings.CURRENCY = currency
    field = AmountField()
    assert field.clean(written) == minor
    assert field.prepare_value(minor) == shown == money.write_plainly(minor, currency)
    assert not field.has_changed(minor, written)


@pytest.mark.parametrize(
    ("currency", "written", "sentence"),
    [
        ("CNY", "49.999", "no more than 2 decimal places"),
        ("JPY", "49.5", "no more than 0 decimal places"),
        ("KWD", "1.0001", "no more than 3 decimal places"),
        ("CNY", "1000001", "less than or equal to 1000000.00"),
        ("JPY", "100000001", "less than or equal to 100000000"),
        ("CNY", "-1", "greater than or equal to 0"),
        ("CNY", "¥49", "Write an amount such as 49 or 49.90."),
        ("JPY", "much", "Write an amount such as 4900."),
        ("CNY", "1e999", "less than or equal to"),
        ("CNY", "nan", "Enter a number"),
        ("CNY", "", "required"),
    ],
)
def test_a_field_refuses_what_no_price_is(
    settings: Settings, currency: str, written: str, sentence: str
) -> None:
    settings.CURRENCY = currency
    with pytest.raises(Exception, match=sentence):
        AmountField().clean(written)


def test_bands_of_prices_are_in_the_site_s_currency(settings: Settings) -> None:
    settings.CURRENCY, settings.PRICE_BANDS = "JPY", (1_000, 2_000, 4_000)
    assert filters.band_range("2") == (1_000, 2_000)
    assert filters.price_band(3_999) == "3"
    labels = [findable_shops.label_band(band) for band in ("1", "2", "4", "5")]
    assert labels == ["Under ¥1,000", "¥1,000 to ¥2,000", "¥4,000 and more", "5"]
    settings.CURRENCY, settings.PRICE_BANDS = "CNY", (50, 100, 200)
    assert filters.band_range("2") == (5_000, 10_000)


def test_money_of_ads_has_the_currency_s_decimals(settings: Settings) -> None:
    assert [amounts.format_amount(micros) for micros in (1_200_000_000, 5_000)] == ["¥1,200.00", "¥0.005"]
    settings.CURRENCY = "JPY"
    assert [amounts.format_amount(micros) for micros in (1_200_000_000, 250_000)] == ["¥1,200", "¥0.25"]
    assert [amounts.write_plainly(micros) for micros in (1_200_000_000, 250_000)] == ["1200", "0.25"]


@pytest.mark.django_db(transaction=True)
def test_new_rows_are_of_the_site_s_currency_and_old_ones_keep_theirs(
    settings: Settings, client: Client, boss: Client
) -> None:
    old = VoucherFactory.create(price=4_990, value=10_000)
    settings.CURRENCY = "JPY"
    shop = makers.shop("Castle Sushi", price=3_000)
    new = VoucherFactory.create(shop=shop, price=4_900, value=10_000)
    makers.commit_and_index()
    assert (old.currency, new.currency, shop.currency) == ("CNY", "JPY", "JPY")
    page = markup.compact(client.get(f"/vouchers/{new.pk}/").content)
    assert "¥4,900" in page
    assert '"price": "4900"' in page or '"price":"4900"' in page
    assert "CN¥49.90" in client.get(f"/vouchers/{old.pk}/").content.decode()
    found = client.get(f"/api/shops/{shop.pk}").json()
    assert (found["price"], found["currency"]) == (3_000, "JPY")
    form = boss.get(f"/admin/coupons/voucher/{old.pk}/change/").content.decode()
    assert 'value="49.90"' in form
    assert 'value="4900"' in boss.get(f"/admin/coupons/voucher/{new.pk}/change/").content.decode()
    exported = b"".join(boss.get("/admin/coupons/voucher/export/")).decode()
    assert ",49.90,100.00,CNY," in exported
    assert ",4900,10000,JPY," in exported
