"""Money in forms: people write yuan, models hold whole minor units (fen)."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

MINOR_UNITS = 100
#: Past it a price is a slip of the keyboard: a million yuan.
MAX_AMOUNT = Decimal(1_000_000)


class YuanField(forms.DecimalField):
    """Shows 4900 as "49.00" and cleans "49" to 4900."""

    def __init__(self, **options: Any) -> None:
        attrs = {"inputmode": "decimal", "prefix": "¥", "class": "pl-9", "autocomplete": "off"}
        options.setdefault("widget", UnfoldAdminTextInputWidget(attrs=attrs))
        super().__init__(min_value=Decimal(0), max_value=MAX_AMOUNT, decimal_places=2, **options)
        self.error_messages["invalid"] = _("Write an amount in yuan, such as 49 or 49.90.")

    def prepare_value(self, value: Any) -> Any:
        return f"{Decimal(value) / MINOR_UNITS:.2f}" if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:
        amount = super().clean(value)
        return None if amount is None else int(amount * MINOR_UNITS)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)
