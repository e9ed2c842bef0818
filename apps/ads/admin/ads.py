"""The admin of ads: list with click rates, a form with a preview, charts, and what each word has learned."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.decorators import display

from apps.accounts.pictures import files
from apps.ads import changes, insight, roles
from apps.ads.admin import reports, states, switching, try_page
from apps.ads.admin.ad_form import AdForm
from apps.ads.admin.own_rows import AdvertiserRowsAdmin
from apps.ads.admin.shop_choices import ShopAutocompleteView
from apps.ads.models import Ad, Campaign
from apps.ads.money import amounts
from apps.queues import owed
from apps.redis_kit import client
from apps.web.in_language import TextOrder, columns

#: A language's ending of columns, and what the site writes on an ad in it.
PREVIEW_LANGUAGES = (("en", "Ad"), ("zh", "广告"))


@admin.register(Ad)
class AdAdmin(AdvertiserRowsAdmin):
    """Ads; every write goes through ads.changes, so that Redis follows."""

    members = "campaign__advertiser__members"
    form = AdForm
    list_display = ("heading", "state", "views", "clicks", "click_rate", "actions_count", "invalid", "spent")
    list_filter = (("campaign", RelatedDropdownFilter), "is_on")
    list_select_related = ("campaign__advertiser", "shop")
    search_fields = columns("title")
    ordering = ("-id",)
    actions = ("stop", "resume")
    warn_unsaved_form = True
    change_form_outer_before_template = "admin/ads/ad_report.html"
    change_form_before_template = "admin/ads/preview.html"
    fieldsets = (
        (None, {"fields": ("campaign", columns("title"), columns("text"), "picture")}),
        (_("Where it leads"), {"fields": ("shop", "link")}),
        (_("Whom it is for"), {"fields": ("places", "words")}),
    )

    class Media:
        js = ("js/ads_admin.js",)

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        own = [
            path("try/", wrap(try_page.view), name="ads_try_page"),
            path(
                "shop-choices/",
                wrap(ShopAutocompleteView.as_view(admin_site=self.admin_site)),
                name="ads_shop_choices",
            ),
        ]
        urls: list[URLPattern] = super().get_urls()
        return own + urls

    def get_list_filter(self, request: HttpRequest) -> Any:
        return self.list_filter if switching.sees_all(request) else ("is_on",)

    def formfield_for_foreignkey(self, field: Any, request: HttpRequest, **options: Any) -> Any:
        """Name each campaign with its advertiser, which the preview shows."""
        made = super().formfield_for_foreignkey(field, request, **options)
        if field.name == "campaign":
            made.queryset = made.queryset.select_related("advertiser")
            made.label_from_instance = lambda campaign: f"{campaign.advertiser} · {campaign}"
        return made

    def get_queryset(self, request: HttpRequest) -> QuerySet[Ad]:
        rows = super().get_queryset(request)
        return rows.annotate(spent_micros=Coalesce(Sum("days__spent_micros"), 0))

    def save_model(self, _request: HttpRequest, obj: Ad, form: AdForm, change: bool) -> None:
        before = form.initial.get("picture") if change and "picture" in form.changed_data else None
        changes.save_ad(obj, locations=form.cleaned_data["places"], words=form.cleaned_data["words"])
        if before:
            owed.run_after_commit(files.delete_sizes, before.name)

    def render_change_form(self, request: HttpRequest, context: Any, **options: Any) -> HttpResponse:
        ad: Ad | None = options.get("obj")
        context["preview_picture"] = ad.picture_url if ad else ""
        context["preview_languages"] = PREVIEW_LANGUAGES
        context["preview_advertisers"] = self._advertiser_names(request)
        response: HttpResponse = super().render_change_form(request, context, **options)
        return response

    def _advertiser_names(self, request: HttpRequest) -> dict[int, dict[str, str]]:
        """Who pays for each campaign that may be chosen, by language: {campaign id: {"en": …, "zh": …}}."""
        campaigns = roles.restrict(Campaign.objects.all(), request.user, "advertiser__members")
        names = campaigns.values_list("pk", "advertiser__name_en", "advertiser__name_zh")
        return {pk: {"en": en or zh, "zh": zh or en} for pk, en, zh in names}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if request.method == "POST" and (pressed := switching.pressed(request)):
            return switching.switch(self, request, object_id, pressed, changes.switch_ad)
        ad = self.get_object(request, object_id)
        report = build_report(ad) | {"may_switch": self.has_change_permission(request)} if ad else {}
        response: HttpResponse = super().change_view(
            request, object_id, form_url, {"report": report} | (extra_context or {})
        )
        return response

    @display(description=_("ad"), header=True, ordering=TextOrder("title"))
    def heading(self, ad: Ad) -> list[Any]:
        picture = {"path": ad.picture_url, "squared": True, "width": 40, "height": 40}
        return [ad.title, ad.campaign.name, "", picture if ad.picture_url else None]

    @display(description=_("state"), label=states.BADGES)
    def state(self, ad: Ad) -> Any:
        return states.LABELS[states.of_ad(ad)]

    @display(description=_("click rate"))
    def click_rate(self, ad: Ad) -> str:
        return amounts.format_rate(ad.clicks, ad.views)

    @display(description=_("actions"), ordering="actions")
    def actions_count(self, ad: Ad) -> int:
        return ad.actions

    @display(description=_("spent"), ordering="spent_micros")
    def spent(self, ad: Any) -> str:
        return amounts.format_amount(ad.spent_micros)

    @admin.action(description=_("Stop"), permissions=["change"])
    def stop(self, request: HttpRequest, ads: QuerySet[Ad]) -> None:
        switching.switch_many(request, ads, changes.switch_ad, on=False)

    @admin.action(description=_("Go on"), permissions=["change"])
    def resume(self, request: HttpRequest, ads: QuerySet[Ad]) -> None:
        switching.switch_many(request, ads, changes.switch_ad, on=True)


def build_report(ad: Ad) -> dict[str, Any]:
    """What the ad's page shows above its form: numbers, charts, and the bonus of each word."""
    days = reports.list_days(reports.counts_of_ad(ad))
    sums = reports.total(days)
    return {
        "ad": ad,
        "sums": sums,
        "spent": amounts.format_amount(sums.spent_micros),
        "click_rate": amounts.format_rate(sums.clicks, sums.views),
        "charts": reports.build_charts(days),
        "words": _read_words(ad),
        "bonus_label": _("Bonus, %s a thousand views") % settings.CURRENCY,
    }


def _read_words(ad: Ad) -> list[dict[str, Any]] | None:
    """Each word's counts, rate and learned bonus of a thousand views; None while Redis is away."""
    try:
        bonuses = insight.word_bonuses(ad.pk)
    except client.UNAVAILABLE:
        return None
    return [
        {
            "word": one.word,
            "views": one.views,
            "clicks": one.clicks,
            "rate": amounts.format_rate(one.clicks, one.views),
            "bonus": amounts.to_units(one.bonus_micros),
        }
        for one in bonuses
    ]
