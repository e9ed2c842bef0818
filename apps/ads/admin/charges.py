"""The admin of charges: the books, to look at."""

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.decorators import display

from apps.adminkit import exports
from apps.adminkit.exports import Column
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.ads.admin import switching
from apps.ads.admin.own_rows import AdvertiserRowsAdmin
from apps.ads.models import Charge, RefusedCharge
from apps.ads.money import amounts

EXPORT_COLUMNS = (
    Column(_("charge"), lambda charge: charge.pk),
    Column(_("charged"), lambda charge: exports.format_time(charge.charged_at)),
    Column(_("campaign"), lambda charge: charge.campaign.name),
    Column(_("ad"), lambda charge: charge.ad.title),
    Column(_("ad number"), lambda charge: charge.ad_id),
    Column(_("kind"), lambda charge: charge.get_kind_display()),
    Column(_("amount"), lambda charge: amounts.write_plainly(charge.micros)),
    Column(_("currency"), lambda _charge: settings.CURRENCY),
    Column(_("billed"), lambda charge: _("yes") if charge.is_billed else _("no")),
)


@admin.register(Charge)
class ChargeAdmin(exports.ExportAdmin, ReadOnlyAdmin, AdvertiserRowsAdmin):
    """What was paid for which view, click or action; an advertiser exports their own."""

    members = "campaign__advertiser__members"
    list_display = ("charged_at", "campaign", "ad", "kind", "amount", "is_billed")
    list_filter = (("kind", ChoicesDropdownFilter), ("campaign", RelatedDropdownFilter), "is_billed")
    list_select_related = ("campaign", "ad")
    ordering = ("-id",)
    export_columns = EXPORT_COLUMNS
    fields = ("campaign", "ad", "kind", "amount", "is_billed", "charged_at")
    readonly_fields = ("amount",)

    def get_list_filter(self, request: HttpRequest) -> tuple[object, ...]:
        return self.list_filter if switching.sees_all(request) else (("kind", ChoicesDropdownFilter),)

    @display(description=_("amount"), ordering="micros")
    def amount(self, charge: Charge) -> str:
        return amounts.format_exactly(charge.micros)


@admin.register(RefusedCharge)
class RefusedChargeAdmin(ReadOnlyAdmin):
    """Entries of the stream of charges that can't be charges."""

    list_display = ("stream_id", "reason", "created_at")
    ordering = ("-id",)
