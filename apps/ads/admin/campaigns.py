"""The admin of campaigns, whose budgets change while they run, with charts, and of the charges they paid."""

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.adminkit import exports
from apps.adminkit.exports import Column
from apps.adminkit.last_moment import LastMomentField
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.ads import changes, insight
from apps.ads.admin import reports, switching
from apps.ads.admin.advertisers import AdvertiserRowsAdmin
from apps.ads.models import MAX_MICROS, MICROS, Campaign, Charge, RefusedCharge
from apps.ads.money import amounts
from apps.ads.money.amounts import format_amount, write_plainly
from apps.redis_kit import client
from apps.shops.money_field import put_symbol

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


class MicrosField(forms.DecimalField):
    """Shows 250000 as "0.25" and cleans "0.25" to 250000."""

    def __init__(self, **options: Any) -> None:
        attrs = {"inputmode": "decimal", "autocomplete": "off"}
        options.setdefault("widget", UnfoldAdminTextInputWidget(attrs=attrs))
        most = Decimal(MAX_MICROS // MICROS)
        super().__init__(min_value=Decimal(0), max_value=most, decimal_places=3, **options)
        self.error_messages["invalid"] = _("Write an amount such as 49 or 0.25.")

    def prepare_value(self, value: Any) -> Any:
        return write_plainly(value) if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:
        amount = super().clean(self.prepare_value(value))
        return 0 if amount is None else int(amount * MICROS)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


class CampaignForm(forms.ModelForm):
    """Money is written in whole units of the site's currency."""

    price_micros = MicrosField(
        label=_("Price"), help_text=_("For one click, one action, or a thousand views that were seen.")
    )
    budget_micros = MicrosField(
        label=_("Budget"), help_text=_("May change at any time; what is spent can't be taken back.")
    )
    daily_cap_micros = MicrosField(
        label=_("Daily limit"), required=False, help_text=_("Leave empty for no limit.")
    )
    ends_at = LastMomentField(
        label=_("Ends"), required=False, help_text=_("Without a time at the end of the day.")
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            if isinstance(field, MicrosField):
                put_symbol(field, settings.CURRENCY)

    class Meta:
        model = Campaign
        fields = (
            *("advertiser", "name", "pricing", "price_micros", "budget_micros", "daily_cap_micros"),
            *("views_per_person", "begins_at", "ends_at"),
        )

    def clean_price_micros(self) -> int:
        price: int = self.cleaned_data["price_micros"]
        if not price:
            raise ValidationError(_("Write a price."))
        return price

    def clean_budget_micros(self) -> int:
        budget: int = self.cleaned_data["budget_micros"]
        spent = switching.spent_micros(self.instance) if self.instance.pk else 0
        if budget < spent:
            sentence = _("%(spent)s are spent already: the budget can't be less.")
            raise ValidationError(sentence % {"spent": format_amount(spent)})
        return budget


@admin.register(Campaign)
class CampaignAdmin(AdvertiserRowsAdmin):
    """Campaigns; every write goes through ads.changes, so that Redis follows."""

    members = "advertiser__members"
    form = CampaignForm
    list_display = ("heading", "state", "pays", "spent", "click_rate", "begins_at", "ends_at")
    list_filter = (("advertiser", RelatedDropdownFilter), "pricing")
    list_select_related = ("advertiser",)
    search_fields = ("name",)
    ordering = ("-id",)
    actions = ("stop", "resume")
    warn_unsaved_form = True
    change_form_outer_before_template = "admin/ads/campaign_report.html"
    fieldsets = (
        (None, {"fields": (("advertiser", "name"), ("pricing", "price_micros"))}),
        (_("Money"), {"fields": (("budget_micros", "daily_cap_micros"),)}),
        (_("When and how often"), {"fields": ("begins_at", "ends_at", "views_per_person")}),
    )

    def get_list_filter(self, request: HttpRequest) -> Any:
        return self.list_filter if switching.sees_all(request) else ("pricing",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Campaign]:
        return switching.with_totals(super().get_queryset(request), "ads")

    def save_model(self, request: HttpRequest, obj: Campaign, form: Any, change: bool) -> None:
        budget = obj.budget_micros
        changes.save_campaign(obj)
        if change and "budget_micros" in form.changed_data:
            with switching.show_refusals(request):
                changes.change_budget(obj.pk, budget)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if request.method == "POST" and (pressed := switching.pressed(request)):
            return switching.switch(self, request, object_id, pressed, changes.switch_campaign)
        campaign = self.get_object(request, object_id)
        report = (
            build_report(campaign) | {"may_switch": self.has_change_permission(request)} if campaign else {}
        )
        response: HttpResponse = super().change_view(
            request, object_id, form_url, {"report": report} | (extra_context or {})
        )
        return response

    @display(description=_("campaign"), header=True, ordering="name")
    def heading(self, campaign: Campaign) -> list[str]:
        return [campaign.name, campaign.advertiser.name]

    @display(
        description=_("state"),
        label=switching.BADGES,
    )
    def state(self, campaign: Campaign) -> Any:
        return switching.LABELS[switching.of_campaign(campaign)]

    @display(description=_("pays"), ordering="price_micros")
    def pays(self, campaign: Campaign) -> str:
        return f"{format_amount(campaign.price_micros)} · {campaign.pricing.upper()}"

    @display(description=_("spent"), ordering="charged_micros")
    def spent(self, campaign: Campaign) -> SafeString:
        return render_to_string(
            "admin/ads/_spent.html", switching.spending(campaign, campaign.charged_micros)
        )

    @display(description=_("click rate"))
    def click_rate(self, campaign: Any) -> str:
        return amounts.format_rate(campaign.clicks, campaign.views)

    @admin.action(description=_("Stop"), permissions=["change"])
    def stop(self, request: HttpRequest, campaigns: QuerySet[Campaign]) -> None:
        switching.switch_many(request, campaigns, changes.switch_campaign, on=False)

    @admin.action(description=_("Go on"), permissions=["change"])
    def resume(self, request: HttpRequest, campaigns: QuerySet[Campaign]) -> None:
        switching.switch_many(request, campaigns, changes.switch_campaign, on=True)


def build_report(campaign: Campaign) -> dict[str, Any]:
    """What the campaign's page shows above its form: numbers, charts, and today's pacing."""
    days = reports.list_days(reports.counts_of_campaign(campaign))
    sums, now = reports.total(days), reports.total(days[-1:])
    return {
        "campaign": campaign,
        "state": switching.LABELS[switching.of_campaign(campaign)],
        "spending": switching.spending(campaign, switching.spent_micros(campaign)),
        "spent_today": format_amount(now.spent_micros),
        "daily_cap": format_amount(campaign.daily_cap_micros) if campaign.daily_cap_micros else "",
        "sums": sums,
        "click_rate": amounts.format_rate(sums.clicks, sums.views),
        "charts": reports.build_charts(days),
        "rates": reports.chart_rates_by_ad(campaign),
        "pacing": _read_pacing(campaign),
    }


def _read_pacing(campaign: Campaign) -> str | None:
    """Today's curve; None while Redis is away."""
    try:
        return reports.chart_pacing(insight.pacing_curve(campaign, timezone.localdate()))
    except client.UNAVAILABLE:
        return None


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

    empty_text = _("No charge was refused.")
    list_display = ("stream_id", "reason", "created_at")
    ordering = ("-id",)
