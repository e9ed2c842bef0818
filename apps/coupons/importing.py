"""Vouchers out of a file: a row is about the voucher of its shop that has its title."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from import_export.fields import Field
from import_export.widgets import Widget

from apps.coupons.catalog import sales, vouchers
from apps.coupons.models import Voucher
from apps.coupons.models.catalog import MAX_PER_PERSON
from apps.imports import values as cells
from apps.imports.resource import BatchResource, Values
from apps.shops.importing.cells import AmountWidget, LongTextWidget, TextWidget, YesWidget, read_currency
from apps.shops.importing.finding import NamedShops, read_cell
from apps.shops.models import Shop
from apps.web.in_language import columns, require_either

#: Their name in apps.imports.kinds.
VOUCHERS = "vouchers"
TEXTS = ("title", "subtitle", "rules")
#: A longer one is no row's number.
MAX_NUMBER_DIGITS = 19


class EndWidget(Widget):
    """A day, whose end is meant, or a moment."""

    def clean(self, value: Any, row: Any = None, **options: Any) -> datetime:
        return cells.read_end(str(value))

    def render(self, value: Any, obj: Any = None, **options: Any) -> str:
        return cells.write_end(value)


class CountWidget(Widget):
    """How many one person may have."""

    def clean(self, value: Any, row: Any = None, *, delimiter: str = ",", **options: Any) -> int:
        count = cells.read_number(str(value), delimiter, decimals=0, most=MAX_PER_PERSON)
        if count is None or not 1 <= count <= MAX_PER_PERSON or count != int(count):
            raise ValueError(_("Between 1 and %(most)d.") % {"most": MAX_PER_PERSON})
        return int(count)


class VoucherResource(BatchResource):
    """A voucher a row; one on flash sale keeps its stock and its window."""

    permissions = ("coupons.add_voucher", "coupons.change_voucher", "shops.see_all_shops")
    aliases: ClassVar[Mapping[str, str]] = {
        "店铺": "shop", "标题": "title_zh", "副标题": "subtitle_zh", "规则": "rules_zh", "售价": "price",
        "面值": "value", "有效期至": "valid_until", "每人限购": "per_person",
    }  # fmt: skip
    #: Of the columns of an export, whose rows change nothing when they come back.
    titles: ClassVar[Mapping[str, Any]] = {
        "voucher_number": gettext_lazy("voucher number"),
        "shop_number": gettext_lazy("shop number"),
        "shop": gettext_lazy("shop"),
        "title_en": gettext_lazy("title, in English"),
        "title_zh": gettext_lazy("title, in Chinese"),
        "subtitle_en": gettext_lazy("subtitle, in English"),
        "subtitle_zh": gettext_lazy("subtitle, in Chinese"),
        "rules_en": gettext_lazy("rules of use, in English"),
        "rules_zh": gettext_lazy("rules of use, in Chinese"),
        "price": gettext_lazy("buyers pay"),
        "value": gettext_lazy("worth"),
        "currency": gettext_lazy("currency"),
        "per_person": gettext_lazy("for each person"),
        "valid_until": gettext_lazy("valid until"),
        "offered": gettext_lazy("offered"),
    }

    voucher_number = Field(None, "voucher_number")
    shop_number = Field(None, "shop_number")
    shop = Field(None, "shop")
    title_en = Field("title_en", "title_en", widget=TextWidget())
    title_zh = Field("title_zh", "title_zh", widget=TextWidget())
    subtitle_en = Field("subtitle_en", "subtitle_en", widget=TextWidget())
    subtitle_zh = Field("subtitle_zh", "subtitle_zh", widget=TextWidget())
    rules_en = Field("rules_en", "rules_en", widget=LongTextWidget())
    rules_zh = Field("rules_zh", "rules_zh", widget=LongTextWidget())
    price = Field("price", "price", widget=AmountWidget())
    value = Field("value", "value", widget=AmountWidget())
    currency = Field(None, "currency")
    per_person = Field("per_person", "per_person", widget=CountWidget())
    valid_until = Field("valid_until", "valid_until", widget=EndWidget())
    offered = Field("is_offered", "offered", widget=YesWidget())

    class Meta(BatchResource.Meta):
        model = Voucher
        fields = (
            *("voucher_number", "shop_number", "shop", *columns(*TEXTS)),
            *("price", "value", "currency", "per_person", "valid_until", "offered"),
        )
        name = gettext_lazy("Vouchers")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._shops = NamedShops([])
        self._known: dict[tuple[int, str, str], Voucher] = {}
        self._numbered: dict[str, Voucher] = {}

    def written_columns(self) -> Sequence[str]:
        return (*columns(*TEXTS), "price", "value", "per_person", "valid_until", "is_offered")

    def row_key(self, values: Values) -> str:
        if number := read_cell(values, "voucher_number"):
            return number
        return "\x1f".join([_name_shop(values), *(read_cell(values, column) for column in columns("title"))])

    def load_batch(self, rows: Sequence[Values]) -> None:
        self._shops = NamedShops(map(_name_shop, rows))
        self._load_numbered({read_cell(row, "voucher_number") for row in rows})
        shops = {shop.pk for row in rows if (shop := self._find_shop(row))}
        titles = {read_cell(row, column) for row in rows for column in columns("title")} - {""}
        named = Voucher.objects.filter(Q(title_en__in=titles) | Q(title_zh__in=titles), shop__in=shops)
        for voucher in named.select_related("shop", "sale").order_by("-pk"):
            self._known[voucher.shop_id, voucher.title_en, voucher.title_zh] = voucher

    def _load_numbered(self, written: Collection[str]) -> None:
        numbers = [one for one in written if one.isascii() and one.isdigit() and len(one) < MAX_NUMBER_DIGITS]
        found = Voucher.objects.filter(pk__in=numbers) if numbers else Voucher.objects.none()
        self._numbered = {str(voucher.pk): voucher for voucher in found.select_related("shop", "sale")}

    def find(self, values: Values) -> Voucher | None:
        if number := read_cell(values, "voucher_number"):
            return self._numbered.get(number)
        shop = self._find_shop(values)
        titles = (read_cell(values, column) for column in columns("title"))
        return self._known.get((shop.pk, *titles)) if shop else None  # type: ignore[arg-type]

    def complete(self, instance: Voucher, values: Values) -> None:
        shop = self._shops.find(_name_shop(values))
        if number := read_cell(values, "voucher_number"):
            if instance._state.adding:
                sentence = _("There is no voucher %(number).20s. Leave the cell empty for a new one.")
                raise ValidationError(sentence % {"number": number})
            if instance.shop_id != shop.pk:
                sentence = _("Voucher %(number).20s is of another shop.")
                raise ValidationError({"shop": sentence % {"number": number}})
        instance.shop = shop
        if instance.currency != (currency := read_currency(values)):
            about = {"one": instance.currency, "other": currency}
            raise ValidationError(_("Its amounts are in %(one)s, and the file's in %(other).9s.") % about)

    def validate(self, instance: Voucher) -> None:
        missing = {name: _("Say it.") for name in ("price", "value") if getattr(instance, name) is None}
        if missing:
            raise ValidationError(missing)
        instance.clean_fields(exclude={"shop", "picture"})
        require_either(instance, ("title",))
        vouchers.check_prices(instance.price, instance.value)
        if instance.pk and hasattr(instance, "sale") and "per_person" in instance.changed_columns:  # type: ignore[attr-defined]
            raise ValidationError(
                {"per_person": _("Of a flash sale this is changed on the sale's own page.")}
            )
        if instance.pk is None or "valid_until" in instance.changed_columns:  # type: ignore[attr-defined]
            sale = getattr(instance, "sale", None)
            sales.check_validity(instance.valid_until, sale_ends_at=sale and sale.ends_at)

    def write_new(self, instances: list[Voucher]) -> None:
        for voucher in instances:
            vouchers.save(voucher)

    def write_changed(self, instances: list[Any], columns: Collection[str]) -> None:
        for voucher in instances:
            vouchers.save(voucher, changed=voucher.changed_columns)

    def _find_shop(self, values: Values) -> Shop | None:
        try:
            return self._shops.find(_name_shop(values))
        except ValidationError:
            return None


def _name_shop(values: Values) -> str:
    """How a row names its shop to NamedShops: by its number on this site, or by the column "shop"."""
    number = read_cell(values, "shop_number")
    return f"#{number}" if number else read_cell(values, "shop")
