"""Money: whole minor units in models and JSON, and the texts that people read and write.

    format_amount(4_990, "CNY")    "¥49.90", by the active language (Babel, with the data of Unicode's CLDR)
    write_plainly(4_990, "CNY")    "49.90", for files, forms and search engines
    minor_digits("JPY")            0

A site sells in one currency, settings.CURRENCY; a row keeps the one that it was written with.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.numbers import format_currency, get_currency_symbol
from django.conf import settings
from django.utils.translation import get_language, to_locale

#: Currencies whose minor unit is not a hundredth: ISO 4217, from which CLDR's digits for display differ.
_WITHOUT_MINOR_UNIT = frozenset("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split())
_WITH_THOUSANDTHS = frozenset("BHD IQD JOD KWD LYD OMR TND".split())
MAX_CACHED_AMOUNTS = 4_096
_LETTER_BEFORE_DIGIT = re.compile(r"(?<=[A-Za-z])(?=\d)")


def site_currency() -> str:
    """The currency of new rows."""
    return settings.CURRENCY


def minor_digits(currency: str) -> int:
    """How many decimals an amount has at most: 0 for JPY, 2 for CNY, 3 for KWD."""
    if currency in _WITHOUT_MINOR_UNIT:
        return 0
    return 3 if currency in _WITH_THOUSANDTHS else 2


def to_units(minor: int, currency: str) -> Decimal:
    """4990 as Decimal("49.90")."""
    return Decimal(minor).scaleb(-minor_digits(currency))


def to_minor(units: Decimal, currency: str) -> int:
    """Decimal("49.9") as 4990."""
    return int(units.scaleb(minor_digits(currency)))


def write_plainly(minor: int, currency: str) -> str:
    """4900 as "49.00": all decimals of the currency, no symbol and no group of thousands."""
    return f"{to_units(minor, currency):f}"


def format_amount(minor: int, currency: str) -> str:
    """4900 as "¥49", 4990 as "¥49.90", in the active language; the decimals only if they aren't zero."""
    amount = to_units(minor, currency)
    digits = 0 if amount == amount.to_integral_value() else minor_digits(currency)
    return format_units(amount, currency, digits)


def format_sums(sums: Mapping[str, int], currency: str) -> str:
    """Sums by currency, this one first and as zero where there is none: "¥49 · $5"."""
    others = sorted(code for code in sums if code != currency)
    codes = [currency, *others] if currency in sums or not others else others
    return " · ".join(format_amount(sums.get(code, 0), code) for code in codes)


def format_units(amount: Decimal, currency: str, digits: int) -> str:
    """An amount with this many decimals, in the active language."""
    language = get_language() or settings.LANGUAGE_CODE
    return _format(amount, currency, digits, language, is_own=currency == settings.CURRENCY)


def symbol(currency: str) -> str:
    """ "¥", or the code of a currency without a symbol in the active language."""
    language = get_language() or settings.LANGUAGE_CODE
    return _find_symbol(currency, language, is_own=currency == settings.CURRENCY)


@lru_cache(MAX_CACHED_AMOUNTS)
def _format(amount: Decimal, currency: str, digits: int, language: str, *, is_own: bool) -> str:
    locale = _find_locale(language)
    pattern = locale.currency_formats["standard"].pattern
    decimals = f"0.{'0' * digits}" if digits else "0"
    written = format_currency(
        amount, currency, pattern.replace("0.00", decimals), locale=locale, currency_digits=False
    )
    long = get_currency_symbol(currency, locale)
    # CLDR has a space between a letter and a digit, which Babel leaves out.
    return _LETTER_BEFORE_DIGIT.sub(
        "\xa0", written.replace(long, _find_symbol(currency, language, is_own=is_own))
    )


@lru_cache
def _find_symbol(currency: str, language: str, *, is_own: bool) -> str:
    """CLDR's symbol; the site's own currency needs no letters that part it from others: "¥" of "CN¥"."""
    found = get_currency_symbol(currency, _find_locale(language))
    return (found.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") or found) if is_own else found


@lru_cache
def _find_locale(language: str) -> Locale:
    try:
        return Locale.parse(to_locale(language))
    except (UnknownLocaleError, ValueError):
        return Locale.parse("en")
