"""What people write into cells, as the values of columns; ValueError with a sentence for them."""

import re
from decimal import Decimal
from math import isfinite
from typing import Any

from django.utils.translation import gettext as _
from import_export.widgets import CharWidget, Widget

from apps.shops import hours_text, money
from apps.shops.money_field import MAX_MINOR_UNITS
from apps.web import characters

_YES = {"1", "yes", "y", "true", "是", "有", "x"}
_NO = {"0", "no", "n", "false", "否", "无"}
_AMOUNT_PATTERN = re.compile(r"\d{1,9}(\.\d{1,3}0*)?")


class TextWidget(CharWidget):
    """A line of text without marks that nobody sees."""

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
    """An amount of the site's currency such as 88 or ¥88.50, as minor units."""

    def clean(self, value: Any, row: Any = None, **options: Any) -> int:
        currency = money.site_currency()
        signs = f"¥￥$€£ 元円{money.symbol(currency)}"
        text = characters.to_plain_number(str(value)).strip(signs).replace(",", "")
        if not _AMOUNT_PATTERN.fullmatch(text):
            raise _no_amount(value)
        minor = Decimal(text).scaleb(money.minor_digits(currency))
        if minor > MAX_MINOR_UNITS:
            raise _no_amount(value)
        if minor != int(minor):
            raise ValueError(_("“%(value).40s” has parts of the smallest coin.") % {"value": value})
        return int(minor)


class DegreesWidget(Widget):
    """Degrees such as 30.259, or 30,259."""

    def clean(self, value: Any, row: Any = None, **options: Any) -> float:
        text = characters.to_plain_number(str(value)).strip("° ")
        try:
            degrees = float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
        except ValueError:
            degrees = float("nan")
        if not isfinite(degrees):
            raise ValueError(_("“%(value).40s” is no number of degrees, such as 30.259.") % {"value": value})
        return degrees


class StarsWidget(Widget):
    """Stars from 0 to 5 such as 4.7, in tenths."""

    def clean(self, value: Any, row: Any = None, **options: Any) -> int:
        text = characters.to_plain_number(str(value))
        if not re.fullmatch(r"[0-5](\.\d{1,4})?", text) or float(text) > 5:
            raise ValueError(_("“%(value).40s” is no number of stars from 0 to 5.") % {"value": value})
        return round(float(text) * 10)


class YesWidget(Widget):
    """Yes or no."""

    def clean(self, value: Any, row: Any = None, **options: Any) -> bool:
        word = str(value).strip().casefold()
        if word not in _YES | _NO:
            raise ValueError(_("“%(value).40s” is neither yes nor no.") % {"value": value})
        return word in _YES


def _no_amount(value: Any) -> ValueError:
    return ValueError(_("“%(value).40s” is no amount, such as 88 or 88.50.") % {"value": value})
