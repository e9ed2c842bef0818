"""A wrong name, currency, language or region stops the start with one sentence."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import site_settings


@pytest.mark.parametrize("name", ["", "  ", "x" * 31, "two\nlines", "nul\x00"])
def test_a_name_is_a_short_line(name: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="SITE_NAME is"):
        site_settings.read_name(name)
    assert site_settings.read_name(" 大阪生活 ") == "大阪生活"


@pytest.mark.parametrize("code", ["", "yen", "jpy", "XQQ", "CNY,JPY", "C\x00Y", "￥"])
def test_a_currency_is_one_of_iso_4217(code: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="CURRENCY is .*: write the three capitals"):
        site_settings.read_currency(code)
    assert [site_settings.read_currency(known) for known in ("CNY", "JPY", "KWD")] == ["CNY", "JPY", "KWD"]


@pytest.mark.parametrize("codes", [[], [""], ["xx"], ["EN"], ["en", "en"], ["en", "zh_Hans"]])
def test_languages_are_codes_each_once(codes: list[str]) -> None:
    with pytest.raises(ImproperlyConfigured, match="LANGUAGES is"):
        site_settings.read_languages(codes)


def test_a_site_has_one_language_or_more_than_two() -> None:
    assert [code for code, _name in site_settings.read_languages(["zh-hans"])] == ["zh-hans"]
    assert dict(site_settings.read_languages(["en", "ja", "zh-hant"]))["ja"] == "日本語"


@pytest.mark.parametrize("code", ["", "cn", "ZZ", "China", "+86"])
def test_a_region_is_a_country_with_numbers(code: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="PHONE_REGION is .*: write the two capitals"):
        site_settings.read_region(code)
    assert site_settings.read_region("JP") == "JP"


@pytest.mark.parametrize(
    "written",
    [["10"], ["10", "20"], ["20", "10", "50"], ["0", "1", "2"], ["1", "2", "x"], ["9" * 9, "1", "2"]],
)
def test_bands_are_three_growing_prices(written: list[str]) -> None:
    with pytest.raises(ImproperlyConfigured, match="PRICE_BANDS is"):
        site_settings.read_price_bands(written, "CNY")


@pytest.mark.parametrize(
    ("currency", "bands"), [("CNY", (50, 100, 200)), ("JPY", (1_000, 2_000, 4_000)), ("KWD", (2, 5, 10))]
)
def test_a_currency_has_usual_bands(currency: str, bands: tuple[int, ...]) -> None:
    assert site_settings.read_price_bands([], currency) == bands
    assert site_settings.read_price_bands(["7", "8", "9"], currency) == (7, 8, 9)
