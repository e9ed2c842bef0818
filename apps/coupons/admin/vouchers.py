"""The admin of ordinary vouchers: list, form and export."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from apps.adminkit import exports
from apps.adminkit.exports import Column
from apps.adminkit.last_moment import LastMomentField
from apps.adminkit.translations import missing_filter, missing_label
from apps.coupons.admin import sale_picture
from apps.coupons.admin.sale_forms import check_prices
from apps.coupons.admin.sale_picture import PictureField, clean_picture
from apps.coupons.catalog import sales, vouchers
from apps.coupons.importing import VoucherResource
from apps.coupons.models import Voucher
from apps.coupons.terms import build_per_person_field
from apps.imports.upload import UploadAdmin
from apps.shops import money
from apps.shops.members.own_rows import ShopRowsAdmin
from apps.shops.money_field import AmountField, AmountForm
from apps.web.in_language import TextOrder, columns

#: The texts that both languages should have.
TRANSLATED = ("title", "subtitle", "rules")


def _export_cell(column: str) -> Column:
    """A column that an import reads as well: its title, and a row's value as its cell is written."""
    field = VoucherResource.fields[column]
    return Column(
        VoucherResource.titles[column],
        lambda voucher: field.widget.render(getattr(voucher, field.attribute)),
    )


def _export_amount(column: str) -> Column:
    return Column(
        VoucherResource.titles[column],
        lambda voucher: money.write_plainly(getattr(voucher, column), voucher.currency),
    )


#: What an exported voucher says; an import passes over the last four.
EXPORT_COLUMNS = (
    Column(VoucherResource.titles["voucher_number"], lambda voucher: voucher.pk),
    Column(VoucherResource.titles["shop_number"], lambda voucher: voucher.shop_id),
    Column(VoucherResource.titles["shop"], lambda voucher: voucher.shop.name),
    *map(_export_cell, columns(*TRANSLATED)),
    *map(_export_amount, ("price", "value")),
    Column(VoucherResource.titles["currency"], lambda voucher: voucher.currency),
    *map(_export_cell, ("per_person", "valid_until", "offered")),
    Column(_("kind"), lambda voucher: _("flash sale") if hasattr(voucher, "sale") else _("ordinary")),
    Column(_("units"), lambda voucher: voucher.sale.stock_total if hasattr(voucher, "sale") else ""),
    Column(_("units left"), lambda voucher: voucher.sale.stock_left if hasattr(voucher, "sale") else ""),
    Column(_("made"), lambda voucher: exports.format_time(voucher.created_at)),
)


class VoucherForm(AmountForm, forms.ModelForm):
    price = AmountField(label=_("Buyers pay"))
    value = AmountField(label=_("Worth at the shop"))
    picture = PictureField()
    per_person = build_per_person_field(_("How many one person may have, used ones too."))
    valid_until = LastMomentField(
        label=_("Valid until"),
        required=False,
        help_text=_(
            "Without a time to the end of the day. Who paid and did not use it by then gets the money back. "
            "Empty: it never expires."
        ),
    )

    class Meta:
        model = Voucher
        exclude = ("currency",)

    def clean_picture(self) -> Any:
        return clean_picture(self)

    def clean_per_person(self) -> int:
        """What was chosen; a form without the field leaves it as it is."""
        chosen: int | None = self.cleaned_data.get("per_person")
        return self.instance.per_person if chosen is None else chosen

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        price, value = cleaned.get("price"), cleaned.get("value")
        if price is not None and value is not None:
            check_prices(self, price, value)
        if hasattr(self.instance, "sale") and cleaned.get("per_person") not in (
            None,
            self.instance.per_person,
        ):
            self.add_error("per_person", _("Of a flash sale this is changed on the sale's own page."))
        if "valid_until" in self.changed_data and "valid_until" in cleaned:
            self._check_validity(cleaned["valid_until"])
        self._check_publishing(cleaned)
        return cleaned

    def _check_publishing(self, cleaned: dict[str, Any]) -> None:
        """A voucher waits for its time, or is offered: what was changed last counts."""
        if "publish_at" not in self.changed_data:
            cleaned["publish_at"] = None if cleaned.get("is_offered") else cleaned.get("publish_at")
        elif publish_at := cleaned.get("publish_at"):
            cleaned["is_offered"] = False
            if publish_at <= timezone.now():
                self.add_error("publish_at", _("That time has passed."))

    def _check_validity(self, valid_until: datetime | None) -> None:
        sale = getattr(self.instance, "sale", None)
        try:
            sales.check_validity(valid_until, sale_ends_at=sale and sale.ends_at)
        except ValidationError as error:
            self.add_error(None, error)


@admin.register(Voucher)
class VoucherAdmin(UploadAdmin, exports.ExportAdmin, ShopRowsAdmin):
    """Ordinary vouchers are made here, by owners for their own shops; a flash sale has its own page."""

    is_in_search = True
    shop_path = "shop"
    resource_classes = (VoucherResource,)

    form = VoucherForm
    list_display = ("heading", "pays", "worth", "kind", "offered", "untranslated")
    list_filter = ("is_offered", missing_filter(TRANSLATED))
    list_select_related = ("shop", "sale")
    search_fields = columns("title", "shop__name")
    search_help_text = _("Title or shop")
    ordering = ("-id",)
    autocomplete_fields = ("shop",)
    fields = (
        "shop",
        columns("title"),
        "picture",
        columns("subtitle"),
        columns("rules"),
        ("price", "value"),
        "per_person",
        "valid_until",
        ("is_offered", "publish_at"),
    )
    warn_unsaved_form = True
    export_columns = EXPORT_COLUMNS

    def has_delete_permission(self, _request: HttpRequest, _voucher: Voucher | None = None) -> bool:
        """Orders refer to it; it is taken off the site instead."""
        return False

    def save_model(self, request: HttpRequest, obj: Voucher, form: Any, change: bool) -> None:
        changed = set(form.changed_data) - {"is_offered"}
        # Compared with what was stored: the form may have changed it because of "offered from".
        if change and form.initial["is_offered"] != obj.is_offered:
            changed.add("is_offered")
        vouchers.save(obj, changed=changed)
        sale_picture.warn_without(request, obj)

    @display(description=_("voucher"), header=True, ordering=TextOrder("title"))
    def heading(self, voucher: Voucher) -> list[str]:
        return [voucher.title, voucher.shop.name]

    @display(description=_("buyers pay"), ordering="price")
    def pays(self, voucher: Voucher) -> str:
        return money.format_amount(voucher.price, voucher.currency)

    @display(description=_("worth"), ordering="value")
    def worth(self, voucher: Voucher) -> str:
        return money.format_amount(voucher.value, voucher.currency)

    @display(description=_("kind"))
    def kind(self, voucher: Voucher) -> str:
        if not hasattr(voucher, "sale"):
            return str(_("ordinary"))
        url = reverse("admin:coupons_flashsale_change", args=[voucher.pk])
        return format_html('<a class="text-link" href="{}">{}</a>', url, _("flash sale"))

    @display(description=_("untranslated"), label=True)
    def untranslated(self, voucher: Voucher) -> str | None:
        return missing_label(voucher, TRANSLATED) or None

    @display(description=_("offered"), boolean=True, ordering="is_offered")
    def offered(self, voucher: Voucher) -> bool:
        return voucher.is_offered
