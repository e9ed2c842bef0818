"""What a site is: its name, currency, languages and region of phone numbers; a sentence for a wrong one."""

import re
from collections.abc import Sequence

import phonenumbers
from babel.numbers import list_currencies
from django.conf.locale import LANG_INFO
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from apps.shops import money

#: In text messages it stands in front of a sentence.
MAX_NAME_LENGTH = 30
#: Names of the languages that the repository translates; others are called as they call themselves.
_LANGUAGE_NAMES = {"en": _("English"), "zh-hans": _("Simplified Chinese")}
#: Where bands of prices per person begin, by the number of decimals; a restaurant's in Tokyo, Berlin, Kuwait.
_PRICE_BANDS = {0: (1_000, 2_000, 4_000), 2: (10, 20, 50), 3: (2, 5, 10)}
_YUAN_BANDS = (50, 100, 200)


def read_name(name: str) -> str:
    """The name, or ImproperlyConfigured."""
    if not (name.strip() and name.isprintable() and len(name) <= MAX_NAME_LENGTH):
        raise ImproperlyConfigured(
            f"SITE_NAME is {name!r:.80}: write 1 to {MAX_NAME_LENGTH} characters on one line."
        )
    return name.strip()


def read_prefix(prefix: str) -> str:
    """The start of every Redis key, or ImproperlyConfigured: braces would move keys apart in a Cluster."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,30}", prefix):
        raise ImproperlyConfigured(
            f"REDIS_PREFIX is {prefix!r:.80}: write 1 to 30 letters, digits, dots, dashes and underscores."
        )
    return prefix


def read_currency(code: str) -> str:
    """The code, or ImproperlyConfigured."""
    if code not in list_currencies():
        raise ImproperlyConfigured(
            f"CURRENCY is {code!r:.80}: write the three capitals of ISO 4217, such as CNY, JPY or KWD."
        )
    return code


def read_price_bands(written: Sequence[str], currency: str) -> tuple[int, ...]:
    """Three prices in whole units at which bands begin: the written ones, or usual ones of the currency."""
    if not written:
        return _YUAN_BANDS if currency == "CNY" else _PRICE_BANDS[money.minor_digits(currency)]
    bands = tuple(int(one) for one in written if one.isascii() and one.isdigit() and len(one) < 8)
    if len(bands) != len(written) or len(bands) != 3 or not 0 < bands[0] < bands[1] < bands[2]:
        raise ImproperlyConfigured(
            f"PRICE_BANDS is {','.join(written)!r:.80}: write three whole amounts, the smallest first, "
            f"such as 1000,2000,4000."
        )
    return bands


def read_languages(codes: Sequence[str]) -> list[tuple[str, object]]:
    """(code, name) of each language, the site's own first; or ImproperlyConfigured."""
    unknown = [code for code in codes if code not in LANG_INFO]
    if unknown or not codes or len(set(codes)) < len(codes):
        raise ImproperlyConfigured(
            f"LANGUAGES is {','.join(codes)!r:.80}: write codes such as en,zh-hans or zh-hans, each once, "
            f"the site's own language first."
        )
    return [(code, _LANGUAGE_NAMES.get(code, LANG_INFO[code].get("name_local", code))) for code in codes]


def read_region(code: str) -> str:
    """The code of a country, or ImproperlyConfigured."""
    if code not in phonenumbers.SUPPORTED_REGIONS:
        raise ImproperlyConfigured(
            f"PHONE_REGION is {code!r:.80}: write the two capitals of the country whose numbers are typed "
            f"without a country code, such as CN or JP."
        )
    return code
