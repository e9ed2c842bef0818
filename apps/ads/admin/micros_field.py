"""A field of the admin for money of ads: people write and read yuan, rows hold micros of a yuan."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.ads.models.campaigns import MAX_MICROS, YUAN_MICROS
from apps.ads.money.amounts import plain_yuan


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
