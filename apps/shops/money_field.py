"""Money in forms: people write whole units and decimals of a currency, models hold minor units."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.validators import DecimalValidator, MaxValueValidator
from django.utils.translation import gettext as _
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.shops import money

#: Past it a price is a slip of the keyboard: a million yuan, a hundred million yen.
MAX_MINOR_UNITS = 100_000_000


def put_symbol(field: forms.Field, currency: str) -> None:
    """Have Unfold's input of one form's field begin with the currency's symbol."""
    symbol, attrs = money.symbol(currency), field.widget.attrs
    room = "pl-9" if len(symbol) == 1 else "pl-14"
    attrs |= {"prefix": symbol, "class": f"{attrs.get('class', '')} {room}"}


class AmountField(forms.DecimalField):
    """Shows 4900 as "49.00" and cleans "49" to 4900, of the site's currency or of a row's."""

    def __init__(self, **options: Any) -> None:
        attrs = {"inputmode": "decimal", "autocomplete": "off"}
        options.setdefault("widget", UnfoldAdminTextInputWidget(attrs=attrs))
        super().__init__(min_value=Decimal(0), **options)
        self.currency = ""

    def use_currency(self, currency: str) -> None:
        """From now on this field of one form is about amounts of this currency."""
        self.currency = currency
        put_symbol(self, currency)

    def prepare_value(self, value: Any) -> Any:
        return money.write_plainly(value, self._currency) if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:
        # A row's own value is in minor units already.
        amount = super().clean(self.prepare_value(value))
        return None if amount is None else money.to_minor(amount, self._currency)

    def to_python(self, value: Any) -> Decimal | None:  # type: ignore[override]
        try:
            return super().to_python(value)
        except forms.ValidationError as error:
            examples = {0: "4900", 2: "49 or 49.90", 3: "49 or 49.900"}[money.minor_digits(self._currency)]
            sentence = _("Write an amount such as %s.") % examples
            raise forms.ValidationError(sentence, code="invalid") from error

    def run_validators(self, value: Any) -> None:
        super().run_validators(value)
        if value not in self.empty_values:
            DecimalValidator(None, money.minor_digits(self._currency))(value)
            MaxValueValidator(money.to_units(MAX_MINOR_UNITS, self._currency))(value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.to_python(self.prepare_value(initial)), data)

    @property
    def _currency(self) -> str:
        return self.currency or money.site_currency()


class AmountForm(forms.BaseForm):
    """A form whose amounts are of its row's currency, or of the site's for a new one; with its `symbol`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        row = getattr(self, "instance", None)
        currency = row.currency if row is not None else money.site_currency()
        self.symbol = money.symbol(currency)
        for field in self.fields.values():
            if isinstance(field, AmountField):
                field.use_currency(currency)
