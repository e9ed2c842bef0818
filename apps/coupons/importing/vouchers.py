"""Vouchers out of a file: a row is about the voucher of its shop that has its title."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, time
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from import_export.fields import Field
from import_export.widgets import Widget

from apps.coupons.catalog import prices, validity, vouchers
from apps.coupons.models import Voucher
from apps.imports.resource import BatchResource, Values
from apps.shops.importing.cells import AmountWidget, LongTextWidget, TextWidget, YesWidget
from apps.shops.importing.finding import NamedShops, read_cell
from apps.shops.models import Shop
from apps.web.in_language import columns, require_either

TEXTS = ("title", "subtitle", "rules")


class LastMomentWidget(Widget):
    """A day, whose end is meant, or a moment; in the site's time zone unless it says another."""

    def clean(self, value: Any, row: Any = None, **options: Any) -> datetime:
        text = str(value).strip()
        try:
            day = parse_date(text)
            moment = datetime.combine(day, time(23, 59)) if day else parse_datetime(text)
        except ValueError:
            moment = None
        if moment is None:
            raise ValueError(_("“%(value).40s” is no day, such as 2027-12-31.") % {"value": text})
        try:
            return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
        except (OverflowError, ValueError):
            raise ValueError(_("“%(value).40s” is no day, such as 2027-12-31.") % {"value": text}) from None


class VoucherResource(BatchResource):
    """A voucher a row; one on flash sale keeps its stock and its window."""

    permissions = ("coupons.add_voucher", "coupons.change_voucher", "shops.see_all_shops")
    aliases: ClassVar[Mapping[str, str]] = {
        "店铺": "shop", "标题": "title_zh", "副标题": "subtitle_zh", "规则": "rules_zh", "售价": "price",
        "面值": "value", "有效期至": "valid_until",
    }  # fmt: skip

    shop = Field(None, "shop")
    title_en = Field("title_en", "title_en", widget=TextWidget())
    title_zh = Field("title_zh", "title_zh", widget=TextWidget())
    subtitle_en = Field("subtitle_en", "subtitle_en", widget=TextWidget())
    subtitle_zh = Field("subtitle_zh", "subtitle_zh", widget=TextWidget())
    rules_en = Field("rules_en", "rules_en", widget=LongTextWidget())
    rules_zh = Field("rules_zh", "rules_zh", widget=LongTextWidget())
    price = Field("price", "price", widget=AmountWidget())
    value = Field("value", "value", widget=AmountWidget())
    valid_until = Field("valid_until", "valid_until", widget=LastMomentWidget())
    offered = Field("is_offered", "offered", widget=YesWidget())

    class Meta(BatchResource.Meta):
        model = Voucher
        fields = ("shop", *columns(*TEXTS), "price", "value", "valid_until", "offered")
        name = gettext_lazy("Vouchers")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._shops = NamedShops([])
        self._known: dict[tuple[int, str, str], Voucher] = {}

    def written_columns(self) -> Sequence[str]:
        return (*columns(*TEXTS), "price", "value", "valid_until", "is_offered")

    def row_key(self, values: Values) -> str:
        return "\x1f".join(read_cell(values, column) for column in ("shop", "title_en", "title_zh"))

    def load_batch(self, rows: Sequence[Values]) -> None:
        self._shops = NamedShops(read_cell(row, "shop") for row in rows)
        shops = {shop.pk for row in rows if (shop := self._find_shop(row))}
        titles = {read_cell(row, column) for row in rows for column in columns("title")} - {""}
        named = Voucher.objects.filter(Q(title_en__in=titles) | Q(title_zh__in=titles), shop__in=shops)
        for voucher in named.select_related("shop", "sale").order_by("-pk"):
            self._known[voucher.shop_id, voucher.title_en, voucher.title_zh] = voucher

    def find(self, values: Values) -> Voucher | None:
        shop = self._find_shop(values)
        titles = (read_cell(values, column) for column in columns("title"))
        return self._known.get((shop.pk, *titles)) if shop else None  # type: ignore[arg-type]

    def complete(self, instance: Voucher, values: Values) -> None:
        instance.shop = self._shops.find(read_cell(values, "shop"))

    def validate(self, instance: Voucher) -> None:
        missing = {name: _("Say it.") for name in ("price", "value") if getattr(instance, name) is None}
        if missing:
            raise ValidationError(missing)
        instance.clean_fields(exclude={"shop", "picture"})
        require_either(instance, ("title",))
        prices.check(instance.price, instance.value)
        if instance.pk is None or "valid_until" in instance.changed_columns:  # type: ignore[attr-defined]
            sale = getattr(instance, "sale", None)
            validity.check(instance.valid_until, sale_ends_at=sale and sale.ends_at)

    def write_new(self, instances: list[Voucher]) -> None:
        for voucher in instances:
            vouchers.save(voucher)

    def write_changed(self, instances: list[Any], columns: Collection[str]) -> None:
        for voucher in instances:
            vouchers.save(voucher, changed=voucher.changed_columns)

    def _find_shop(self, values: Values) -> Shop | None:
        try:
            return self._shops.find(read_cell(values, "shop"))
        except ValidationError:
            return None
