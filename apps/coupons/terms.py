"""The terms of a flash sale as one value: units, window, how many one person may have, who may buy.

    sales.change(voucher_id, replace(Terms.from_sale(sale), units=50))

A term is here a field of Terms with its column, check and form field, and of Rules if claims are decided by
it. Scripts that write a sale's hash in Redis take all Rules as one list of fields and values; claim.lua reads
them by name.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from math import ceil
from typing import Any, Self

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from apps.coupons import keys
from apps.coupons.models import FlashSale
from apps.coupons.models.catalog import MAX_PER_PERSON, MAX_STREAK_DAYS

MAX_STOCK = 1_000_000


#: The terms that may be missing in a form, and in the hash of a sale that an older release loaded.
DEFAULTS = {"per_person": 1, "streak_days": 0}


@dataclass(frozen=True)
class Rules:
    """The terms by which claims are decided, as the sale's hash has them by these names; times in unix ms."""

    begins: int
    ends: int
    per_person: int = 1
    streak_days: int = 0

    @property
    def pairs(self) -> list[str | int]:
        """field, value, …, as scripts take them."""
        return [each for pair in asdict(self).items() for each in pair]

    def narrow_to(self, other: "Rules") -> "Rules":
        """Of each rule the stricter one."""
        both = asdict(other)
        return Rules(**{name: STRICTER[name](own, both[name]) for name, own in asdict(self).items()})


#: Which of two values lets fewer claims through.
STRICTER: dict[str, Callable[[int, int], int]] = {
    "begins": max,
    "ends": min,
    "per_person": min,
    "streak_days": max,
}


@dataclass(frozen=True)
class Terms:
    """The stock of a sale (`units`), its window from begins_at (inclusive) to ends_at (exclusive), how many
    one person may have, and how many check-ins in a row a person needs.
    """

    units: int
    begins_at: datetime
    ends_at: datetime
    per_person: int = 1
    streak_days: int = 0

    @classmethod
    def from_sale(cls, sale: FlashSale) -> Self:
        """The terms that a sale has in SQL."""
        limits = sale.voucher.per_person, sale.streak_days
        return cls(sale.stock_total, sale.begins_at, sale.ends_at, *limits)

    def write_to(self, sale: FlashSale) -> None:
        """Set the columns of a sale and of its voucher, without saving; units that were sold stay sold."""
        sale.stock_left = (sale.stock_left or 0) + self.units - (sale.stock_total or 0)
        sale.stock_total = self.units
        sale.begins_at, sale.ends_at = self.begins_at, self.ends_at
        sale.voucher.per_person, sale.streak_days = self.per_person, self.streak_days

    def to_redis(self) -> Rules:
        """What the sale's hash holds of them."""
        window = unix_ms(self.begins_at), unix_ms(self.ends_at)
        return Rules(*window, self.per_person, self.streak_days)

    def is_narrower_than(self, other: Self) -> bool:
        """Whether any of them lets fewer claims through."""
        rules = other.to_redis()
        return self.units < other.units or rules.narrow_to(self.to_redis()) != rules

    def check(self) -> None:
        """Raise ValidationError, by the name of the field, for terms that no sale may have."""
        if not 1 <= self.units <= MAX_STOCK:
            raise ValidationError({"units": _("Between 1 and %(most)d units.") % {"most": MAX_STOCK}})
        if not 1 <= self.per_person <= MAX_PER_PERSON:
            raise ValidationError({"per_person": _("Between 1 and %(most)d.") % {"most": MAX_PER_PERSON}})
        if not 0 <= self.streak_days <= MAX_STREAK_DAYS:
            raise ValidationError({"streak_days": _("Between 0 and %(most)d.") % {"most": MAX_STREAK_DAYS}})
        if self.ends_at <= self.begins_at:
            raise ValidationError({"ends_at": _("The sale must end after it begins.")})

    def check_change(self, sale: FlashSale) -> None:
        """Raise ValidationError, by the name of the field, for terms to which the sale can't be changed."""
        self.check()
        now = timezone.now()
        # Accepted orders must stay inside the window, so what is past stays as it was.
        if sale.begins_at <= now and self.begins_at != sale.begins_at:
            raise begun_error()
        if self.ends_at != sale.ends_at and self.ends_at <= now:
            raise ended_error()
        # Redis looks for a person's coupons at as many places as one may have: none may have one beyond.
        if sale.begins_at <= now and self.per_person < sale.voucher.per_person:
            raise ValidationError(
                {"per_person": _("The sale has begun: how many one person may have can only be raised.")}
            )
        valid_until = sale.voucher.valid_until
        if valid_until and self.ends_at > max(valid_until, sale.ends_at):
            raise ValidationError({"ends_at": _("The sale must end before its coupon expires.")})
        if self.units < sale.stock_total - sale.stock_left:
            raise below_sold_error()


def unix_ms(moment: datetime) -> int:
    """Milliseconds as Redis compares them, rounded up: never a moment too early."""
    return ceil(moment.timestamp() * 1000)


def keys_expire_at(ends_at: datetime) -> int:
    """When the keys of a sale with that end may go, in unix seconds."""
    return int(ends_at.timestamp()) + keys.RETENTION_AFTER_END_SECONDS


def find_differences(held: Mapping[str, str], expected: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """(name, what a sale's hash holds, what is right) of each field that differs."""
    actual = {name: str(value) for name, value in DEFAULTS.items()} | dict(held)
    return [
        (name, actual.get(name, "–"), right)
        for name, right in expected.items()
        if actual.get(name) != str(right)
    ]


def begun_error() -> ValidationError:
    return ValidationError({"begins_at": _("The sale has begun: its beginning can't be moved.")})


def ended_error() -> ValidationError:
    return ValidationError(
        {"ends_at": _("The end can't be moved into the past; withdraw the voucher instead.")}
    )


def below_sold_error() -> ValidationError:
    return ValidationError({"units": _("You can't go below the number already sold.")})


def build_per_person_field(help_text: Any) -> forms.IntegerField:
    """How many of a voucher one person may have; a form without it leaves that as it is."""
    return forms.IntegerField(
        label=gettext_lazy("For each person"),
        required=False,
        min_value=1,
        max_value=MAX_PER_PERSON,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text=help_text,
    )


class TermsFields(forms.Form):
    """The fields of terms in forms; for the window each form has fields of its own."""

    units = forms.IntegerField(
        label=gettext_lazy("Units"),
        min_value=1,
        max_value=MAX_STOCK,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text=gettext_lazy("When they are gone, the sale is sold out."),
    )
    per_person = build_per_person_field(
        gettext_lazy(
            "How many one person may have, used ones too. They are grabbed one at a time, and may be paid "
            "together."
        )
    )

    streak_days = forms.IntegerField(
        label=gettext_lazy("Check-ins in a row"),
        required=False,
        min_value=0,
        max_value=MAX_STREAK_DAYS,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text=gettext_lazy("Only who has checked in on so many days in a row can grab. 0: everybody."),
    )

    @property
    def limits(self) -> list[forms.BoundField]:
        """The fields that say who may have how many."""
        return [self[name] for name in DEFAULTS]

    @staticmethod
    def read_initial(sale: FlashSale) -> dict[str, int]:
        """The values of a sale."""
        terms = Terms.from_sale(sale)
        return {"units": terms.units} | {name: getattr(terms, name) for name in DEFAULTS}

    def build_terms(self, begins_at: datetime, ends_at: datetime, *, before: Terms | None = None) -> Terms:
        """The terms of a valid form; what was left empty stays as `before`, or has its default."""
        limits: dict[str, int] = {}
        for name, default in DEFAULTS.items():
            chosen = self.cleaned_data[name]
            limits[name] = getattr(before, name, default) if chosen is None else chosen
        return Terms(self.cleaned_data["units"], begins_at, ends_at, **limits)
