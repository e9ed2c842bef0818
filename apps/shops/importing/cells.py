"""What people write into cells, as the values of columns; ValueError with a sentence for them."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from import_export.widgets import CharWidget, Widget

from apps.imports.values import WrittenNumber, read_number
from apps.shops import hours_text, money
from apps.shops.money_field import MAX_MINOR_UNITS
from apps.web import characters

_YES = {"1", "yes", "y", "true", "是", "有", "x"}
_NO = {"0", "no", "n", "false", "否", "无"}


class TextWidget(CharWidget):
    """A line of text without invisible characters."""

    def clean(self, value: Any, row: Any = None, **options: Any) -> str:
        return characters.drop_ignorable(" ".join(str(value).split()))


class LongTextWidget(CharWidget):
    """Text with its line breaks."""

    def clean(self, value: Any, row: Any = None, **options: Any) -> str:
        return characters.to_line_feeds(str(value)).strip()


class HoursWidget(CharWidget):
    """Opening hours as they are written; words that hours_text doesn't understand stay words."""

    def clean(self, value: Any, row: Any = None, **options: Any) -> str:
        text = " ".join(str(value).split())
        try:
            hours_text.read(text)
        except hours_text.ImpossibleTime as error:
            raise ValueError(_("“%(time).20s” is no time of the day.") % {"time": error.written}) from error
        return text


class AmountWidget(Widget):
    """An amount such as 88 or ¥88.50, as minor units of the row's currency."""

    def clean(self, value: Any, row: Any = None, *, delimiter: str = ",", **options: Any) -> int:
        currency = read_currency(row or {})
        digits = money.minor_digits(currency)
        most = int(money.to_units(MAX_MINOR_UNITS, currency))
        written = _strip_signs(value, f"¥￥$€£ 元円{money.symbol(currency)}")
        amount = read_number(written, delimiter, decimals=digits, most=most)
        if amount is None or not 0 <= amount <= most:
            raise ValueError(_("“%(value).40s” is no amount, such as 88 or 88.50.") % {"value": value})
        minor = amount.scaleb(digits)
        if minor != int(minor):
            raise ValueError(_("“%(value).40s” has parts of the smallest coin.") % {"value": value})
        return int(minor)

    def render(self, value: Any, obj: Any = None, **options: Any) -> str:
        return money.write_plainly(value, money.site_currency())


class DegreesWidget(Widget):
    """Degrees such as 30.259, or 30,259."""

    def clean(self, value: Any, row: Any = None, *, delimiter: str = ",", **options: Any) -> float:
        degrees = read_number(_strip_signs(value, "° "), delimiter, decimals=15, most=180)
        if degrees is None:
            raise ValueError(_("“%(value).40s” is no number of degrees, such as 30.259.") % {"value": value})
        return float(degrees)


class StarsWidget(Widget):
    """Stars from 0 to 5 such as 4.7, in tenths."""

    def clean(self, value: Any, row: Any = None, *, delimiter: str = ",", **options: Any) -> int:
        stars = read_number(str(value), delimiter, decimals=4, most=5)
        if stars is None or not 0 <= stars <= 5:
            raise ValueError(_("“%(value).40s” is no number of stars from 0 to 5.") % {"value": value})
        return round(stars * 10)


class YesWidget(Widget):
    """Yes or no."""

    def clean(self, value: Any, row: Any = None, **options: Any) -> bool:
        word = str(value).strip().casefold()
        if word not in _YES | _NO:
            raise ValueError(_("“%(value).40s” is neither yes nor no.") % {"value": value})
        return word in _YES

    def render(self, value: Any, obj: Any = None, **options: Any) -> str:
        return _("yes") if value else _("no")


def read_currency(row: Mapping[str, str]) -> str:
    """The currency of a row's amounts: of its cell "currency", else the site's."""
    return row.get("currency", "").strip().upper() or money.site_currency()


def _strip_signs(value: Any, signs: str) -> str:
    """A cell without signs of money or degrees around it; a workbook's own number is one without them."""
    return value if isinstance(value, WrittenNumber) else str(value).strip(signs + "\xa0\u202f\t")
