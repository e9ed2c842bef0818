"""Money of ads in the admin: people write and read yuan, rows hold micros of a yuan."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.ads.models.campaigns import MAX_MICROS, YUAN_MICROS


class MicrosField(forms.DecimalField):
    """Shows 250000 as "0.25" and cleans "0.25" to 250000."""

    def __init__(self, **options: Any) -> None:
        attrs = {"inputmode": "decimal", "prefix": "¥", "class": "pl-9", "autocomplete": "off"}
        options.setdefault("widget", UnfoldAdminTextInputWidget(attrs=attrs))
        most = Decimal(MAX_MICROS // YUAN_MICROS)
        super().__init__(min_value=Decimal(0), max_value=most, decimal_places=3, **options)
        self.error_messages["invalid"] = _("Write an amount in yuan, such as 49 or 0.25.")

    def prepare_value(self, value: Any) -> Any:
        return plain_yuan(value) if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:
        amount = super().clean(value)
        return 0 if amount is None else int(amount * YUAN_MICROS)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


def plain_yuan(micros: int) -> str:
    """ "0.25", "0.005" or "1200.00": at least two decimals, and no more than needed."""
    whole, part = divmod(micros, YUAN_MICROS)
    decimals = f"{part:06}".rstrip("0")
    return f"{whole}.{decimals:0<2}"


def format_yuan(micros: int) -> str:
    """ "¥1,200.00": rounded to fen; a price under a fen keeps its decimals."""
    if 0 < micros < YUAN_MICROS // 100:
        return f"¥{plain_yuan(micros)}"
    return f"¥{micros / YUAN_MICROS:,.2f}"


def to_yuan(micros: int) -> float:
    """Yuan for a chart."""
    return round(micros / YUAN_MICROS, 4)


def rate_percent(part: int, whole: int) -> float | None:
    """Per cent of a whole with two decimals; None of nothing."""
    return round(100 * part / whole, 2) if whole else None


def format_rate(part: int, whole: int) -> str:
    """ "1.25 %", or a dash for a part of nothing."""
    rate = rate_percent(part, whole)
    return "–" if rate is None else f"{rate:.2f} %"
