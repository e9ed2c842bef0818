"""The admin of charges: the books, to look at."""

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.decorators import display

from apps.adminkit.read_only import ReadOnlyAdmin
from apps.ads.admin import switching
from apps.ads.admin.amounts import plain_yuan
from apps.ads.admin.own_rows import OwnRowsAdmin
from apps.ads.models import Charge, RefusedCharge


@admin.register(Charge)
class ChargeAdmin(ReadOnlyAdmin, OwnRowsAdmin):
    """What was paid for which view, click or action."""

    members = "campaign__advertiser__members"
    list_display = ("charged_at", "campaign", "ad", "kind", "amount", "is_billed")
    list_filter = (("kind", ChoicesDropdownFilter), ("campaign", RelatedDropdownFilter), "is_billed")
    list_select_related = ("campaign", "ad")
    ordering = ("-id",)
    fields = ("campaign", "ad", "kind", "amount", "is_billed", "charged_at")
    readonly_fields = ("amount",)

    def get_list_filter(self, request: HttpRequest) -> tuple[object, ...]:
        return self.list_filter if switching.sees_all(request) else (("kind", ChoicesDropdownFilter),)

    @display(description=_("amount"), ordering="micros")
    def amount(self, charge: Charge) -> str:
        return f"¥{plain_yuan(charge.micros)}"


@admin.register(RefusedCharge)
class RefusedChargeAdmin(ReadOnlyAdmin):
    """Entries of the stream of charges that can't be charges."""

    list_display = ("stream_id", "reason", "created_at")
    ordering = ("-id",)
