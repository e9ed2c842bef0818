"""The admin's forms that create a flash sale and edit its stock and window."""

from datetime import datetime, timedelta
from typing import Any, cast
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminRadioSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from apps.accounts.pictures import files
from apps.coupons.admin.sale_picture import PictureField, clean_picture
from apps.coupons.admin.shop_choices import ShopField
from apps.coupons.catalog import vouchers
from apps.coupons.models import FlashSale, Voucher
from apps.coupons.terms import DEFAULTS, Terms, TermsFields
from apps.shops import money
from apps.shops.members import own_shops
from apps.shops.models import Shop
from apps.shops.money_field import AmountField, AmountForm
from apps.web import days
from apps.web.form_state import KeepsOthersChanges
from apps.web.in_language import columns

#: Past it a date is a slip of the keyboard, and the calendar ends before a sale would.
MAX_AHEAD = timedelta(days=36_525)
CHOSEN_TIME = "chosen"
BEGINS_CHOICES = [
    ("10", _("in 10 minutes")),
    ("60", _("in 1 hour")),
    ("20:00", _("at the next 20:00")),
    ("10:00", _("at the next 10:00")),
    ("0", _("at once")),
    (CHOSEN_TIME, _("at a time I choose")),
]
DURATION_CHOICES = [
    ("15", _("15 minutes")),
    ("30", _("30 minutes")),
    ("60", _("1 hour")),
    ("120", _("2 hours")),
    ("1440", _("1 day")),
    (CHOSEN_TIME, _("until a time I choose")),
]


class LocalDateTimeField(forms.DateTimeField):
    """A date and time in the site's time zone, by the browser's own picker, at most MAX_AHEAD from now."""

    def __init__(self, **options: Any) -> None:
        attrs = {"type": "datetime-local", "class": " ".join(INPUT_CLASSES)}
        options.setdefault("widget", forms.DateTimeInput(attrs=attrs, format="%Y-%m-%dT%H:%M"))
        super().__init__(**options)
        self.error_messages["invalid"] = _("Choose a date and a time.")

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether it is another minute: the picker shows no seconds."""
        if isinstance(initial, datetime):
            initial = timezone.localtime(initial).replace(second=0, microsecond=0)
        return super().has_changed(initial, data)

    def validate(self, value: datetime | None) -> None:
        super().validate(value)
        if value and value - timezone.now() > MAX_AHEAD:
            raise ValidationError(_("Choose a date within the next hundred years."))


class LastMomentOfCouponsField(LocalDateTimeField):
    """Until when coupons are valid: 23:59 is how people write the end of a day."""

    def clean(self, value: Any) -> datetime | None:
        moment: datetime | None = super().clean(value)
        return days.to_end(moment) if moment else None


def resolve_begins_at(choice: str, *, now: datetime) -> datetime:
    """The moment of a choice of BEGINNINGS other than CHOSEN."""
    if choice.isdigit():
        return now + timedelta(minutes=int(choice))
    hour = int(choice.partition(":")[0])
    local = timezone.localtime(now)
    today = local.replace(hour=hour, minute=0, second=0, microsecond=0)
    return today if today > local else today + timedelta(days=1)


#: A beginning this little in the past is accepted: the form was open for a moment.
PAST_START_TOLERANCE = timedelta(minutes=1)


def _line(label: Any, max_length: int, **attributes: Any) -> forms.CharField:
    widget = UnfoldAdminTextInputWidget(attrs=attributes)
    return forms.CharField(label=label, max_length=max_length, required=False, widget=widget)


def _rules(label: Any) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=2000,
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_("When it can't be used, whether to book ahead …"),
    )


def check_prices(form: forms.BaseForm, price: int, value: int) -> None:
    """Add an error to a form whose price isn't one for a voucher of that value."""
    try:
        vouchers.check_prices(price, value)
    except ValidationError as error:
        form.add_error(None, error)


def _fresh_values() -> dict[str, Any]:
    return {"draft": uuid4(), "units": 100, "begins": "10", "lasts": "60"} | DEFAULTS


class NewSaleForm(TermsFields, AmountForm, forms.Form):
    """Everything a flash sale needs, in a seller's words; `voucher` and `terms` are what the verb takes."""

    draft = forms.UUIDField(widget=forms.HiddenInput)
    shop = ShopField(label=_("Shop"), help_text=_("Type a part of its name, area or address."))
    title_en = _line(_("What is on sale, in English"), 80, placeholder="Dinner for two")
    title_zh = _line(_("What is on sale, in Chinese"), 80, placeholder="双人晚餐")
    price = AmountField(label=_("Buyers pay"))
    value = AmountField(label=_("Worth at the shop"))
    begins = forms.ChoiceField(
        label=_("Begins"),
        choices=BEGINS_CHOICES,
        widget=UnfoldAdminRadioSelectWidget(radio_style=1),
    )
    begins_at = LocalDateTimeField(label=_("Begins at"), required=False)
    lasts = forms.ChoiceField(
        label=_("Lasts"),
        choices=DURATION_CHOICES,
        widget=UnfoldAdminRadioSelectWidget(radio_style=1),
    )
    ends_at = LocalDateTimeField(label=_("Ends at"), required=False)
    valid_until = LastMomentOfCouponsField(
        label=_("Coupons are valid until"),
        required=False,
        help_text=_("Unused coupons are refunded after this date. Leave empty for no expiry."),
    )
    #: The sale that this one is copied from: its picture is taken over unless another is sent.
    copied_from = forms.ModelChoiceField(
        FlashSale.objects.select_related("voucher"), required=False, widget=forms.HiddenInput
    )
    picture = PictureField()
    publish_at = LocalDateTimeField(
        label=_("On the site from"),
        required=False,
        help_text=_("Until then only staff sees the sale. Empty: at once."),
    )
    subtitle_en = _line(_("Second line, in English"), 120)
    subtitle_zh = _line(_("Second line, in Chinese"), 120)
    rules_en = _rules(_("Rules of use, in English"))
    rules_zh = _rules(_("Rules of use, in Chinese"))

    @classmethod
    def empty(cls) -> "NewSaleForm":
        """A form to fill in, with a draft number of its own."""
        return cls(initial=_fresh_values())

    @classmethod
    def copy_of(cls, sale: FlashSale) -> "NewSaleForm":
        """A form with what another sale sells, and with a new window; none of its orders or counters.

        Its coupons are valid for as long from now on as those were from the sale's begin.
        """
        voucher, lasts = sale.voucher, str(int((sale.ends_at - sale.begins_at).total_seconds() / 60))
        texts = {name: getattr(voucher, name) for name in columns("title", "subtitle", "rules")}
        sold: dict[str, Any] = {"shop": voucher.shop_id}
        if voucher.currency == money.site_currency():
            sold |= {"price": voucher.price, "value": voucher.value}
        if lasts in dict(DURATION_CHOICES):
            sold["lasts"] = lasts
        if voucher.valid_until and voucher.valid_until > sale.ends_at:
            sold["valid_until"] = timezone.now() + (voucher.valid_until - sale.begins_at)
        return cls(
            initial=_fresh_values() | texts | sold | TermsFields.read_initial(sale) | {"copied_from": sale.pk}
        )

    def offer_own(self, user: Any) -> "NewSaleForm":
        """Offer and accept only shops, and sales to copy, whose rows the person sees; one shop is chosen."""
        shop, copied = (cast(forms.ModelChoiceField, self.fields[name]) for name in ("shop", "copied_from"))
        shop.queryset = own_shops.restrict(Shop.objects.open_to_public(), user)
        copied.queryset = own_shops.restrict(
            FlashSale.objects.select_related("voucher"), user, "voucher__shop"
        )
        if not own_shops.sees_all(user) and (only := shop.queryset[:2]) and len(only) == 1:
            self.initial.setdefault("shop", only[0].pk)
        return self

    def clean_picture(self) -> Any:
        return clean_picture(self)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        price, value = cleaned.get("price"), cleaned.get("value")
        if price is not None and value is not None:
            check_prices(self, price, value)
        if not (cleaned.get("title_en") or cleaned.get("title_zh")):
            self.add_error("title_en", _("Write this in one language at least."))
        begins_at = self._beginning(timezone.now())
        ends_at = begins_at and self._end(begins_at)
        self._check_publishing(begins_at)
        if begins_at and ends_at and not self.errors:
            self.terms = self.build_terms(begins_at, ends_at)
        return cleaned

    @property
    def voucher(self) -> Voucher:
        """The voucher that goes on sale, not saved yet."""
        names = (
            "shop",
            *columns("title", "subtitle", "rules"),
            "price",
            "value",
            "valid_until",
            "publish_at",
        )
        values = {name: self.cleaned_data[name] for name in names}
        voucher = Voucher(**values, is_offered=values["publish_at"] is None)
        copied: FlashSale | None = self.cleaned_data["copied_from"]
        # Locked, so that the picture isn't replaced and deleted before the copy is in SQL.
        voucher.picture = self.cleaned_data["picture"] or (copied and files.lock_stored(copied.voucher))
        return voucher

    def _check_publishing(self, begins_at: datetime | None) -> None:
        publish_at = self.cleaned_data.get("publish_at")
        if publish_at and publish_at <= timezone.now():
            self.cleaned_data["publish_at"] = None
        elif publish_at and begins_at and publish_at > begins_at:
            self.add_error("publish_at", _("A sale must be on the site when it begins."))

    def _beginning(self, now: datetime) -> datetime | None:
        choice = self.cleaned_data.get("begins")
        if choice and choice != CHOSEN_TIME:
            return resolve_begins_at(choice, now=now)
        begins_at = cast(datetime | None, self.cleaned_data.get("begins_at"))
        if begins_at is None and "begins_at" not in self.errors:
            self.add_error("begins_at", _("Choose when the sale begins."))
        if begins_at and begins_at < now - PAST_START_TOLERANCE:
            self.add_error("begins_at", _("That time has passed. To open the sale now, choose “at once”."))
        return begins_at

    def _end(self, begins_at: datetime) -> datetime | None:
        choice = self.cleaned_data.get("lasts")
        if choice and choice != CHOSEN_TIME:
            return begins_at + timedelta(minutes=int(choice))
        ends_at = cast(datetime | None, self.cleaned_data.get("ends_at"))
        if ends_at is None and "ends_at" not in self.errors:
            self.add_error("ends_at", _("Choose when the sale ends."))
        if ends_at and ends_at <= begins_at:
            self.add_error("ends_at", _("The sale must end after it begins."))
        return ends_at


class TermsForm(KeepsOthersChanges, TermsFields):
    """The terms of a sale that exists."""

    begins_at = LocalDateTimeField(label=_("Begins"))
    ends_at = LocalDateTimeField(label=_("Ends"))

    def __init__(self, data: Any = None, *, sale: FlashSale) -> None:
        self.sale = sale
        window = {"begins_at": sale.begins_at, "ends_at": sale.ends_at}
        super().__init__(data, initial=self.read_initial(sale) | window)
        self.fields["units"].label, self.fields["units"].help_text = _("Units in total"), ""
        # A beginning that has passed is history; the field stays to be read.
        self.fields["begins_at"].disabled = sale.begins_at <= timezone.now()

    @property
    def terms(self) -> Terms:
        """What the verb takes; a moment that was not touched keeps its seconds."""
        begins_at, ends_at = (self._moment(name) for name in ("begins_at", "ends_at"))
        return self.build_terms(begins_at, ends_at, before=Terms.from_sale(self.sale))

    def _moment(self, name: str) -> datetime:
        current: datetime = getattr(self.sale, name)
        written: datetime = self.cleaned_data[name]
        same_minute = written.replace(second=0, microsecond=0) == current.replace(second=0, microsecond=0)
        return current if same_minute else written
