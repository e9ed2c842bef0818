"""The admin of ads: list with click rates, a form with a preview, charts, and what each word has learned."""

import re
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.decorators import display
from unfold.widgets import (
    UnfoldAdminImageFieldWidget,
    UnfoldAdminSelect2MultipleWidget,
    UnfoldAdminTextareaWidget,
)

from apps.accounts.pictures import files, uploads
from apps.accounts.pictures.drawing import Shape
from apps.ads import changes, insight, roles, targeting
from apps.ads.admin import reports, switching, try_page
from apps.ads.admin.advertisers import AdvertiserRowsAdmin
from apps.ads.admin.shop_choices import ShopAutocompleteView, ShopField
from apps.ads.models import Ad, Campaign
from apps.ads.money import amounts
from apps.queues import owed
from apps.redis_kit import client
from apps.shops.geo import cities
from apps.shops.models import Shop
from apps.web.in_language import TextOrder, choose, columns

MAX_FILE_BYTES = 5 * uploads.MEGABYTE
#: The box shows 112 pixels; a screen has up to three for each.
SIDE_PIXELS = 640
#: Between the city and the area of a choice.
SEPARATOR = "\t"
EVERYWHERE = SEPARATOR
Place = tuple[str, str]
_SEPARATOR_PATTERN = re.compile(r"[,，、;；\n\r]+")  # noqa: RUF001 - the wide ones too

#: A language's ending of columns, and what the site writes on an ad in it.
PREVIEW_LANGUAGES = (("en", "Ad"), ("zh", "广告"))


class AdForm(forms.ModelForm):
    """`cleaned_data` has `places` as (city, area) pairs and `words` as a list."""

    picture = forms.FileField(
        label=_("Picture"),
        required=False,
        widget=UnfoldAdminImageFieldWidget,
        help_text=_("Square, at most 5 MB. Without one the shop's picture is shown."),
    )
    shop = ShopField(
        label=_("Shop"), required=False, help_text=_("Where the ad leads, unless it has a link.")
    )
    places = forms.MultipleChoiceField(label=_("Places"), widget=UnfoldAdminSelect2MultipleWidget)
    words = forms.CharField(
        label=_("Words"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_("With commas between: hot pot, noodles, 火锅. A page that has one of them suits the ad."),
    )

    class Meta:
        model = Ad
        fields = ("campaign", "title_en", "title_zh", "text_en", "text_zh", "picture", "shop", "link")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if "places" in self.fields:
            self.fields["places"].choices = list_places()  # type: ignore[attr-defined]
        if self.instance.pk:
            kept = self.instance.locations.values_list("city", "area")
            self.initial.setdefault("places", [SEPARATOR.join(pair) for pair in kept])
            words = self.instance.words.order_by("pk").values_list("word", flat=True)
            self.initial.setdefault("words", ", ".join(words))

    def clean_picture(self) -> Any:
        return uploads.clean_sent(self, "picture", Shape(side=SIDE_PIXELS), most_bytes=MAX_FILE_BYTES)

    def clean_places(self) -> list[Place]:
        return [_split_place(value) for value in self.cleaned_data["places"]]

    def clean_words(self) -> list[str]:
        sent = _SEPARATOR_PATTERN.split(self.cleaned_data["words"])
        words = targeting.normalize_words(sent, limit=targeting.MAX_AD_WORDS + 1)
        if len(words) > targeting.MAX_AD_WORDS:
            raise ValidationError(_("%d words are the most.") % targeting.MAX_AD_WORDS)
        return words


def list_places() -> list[tuple[str, str]]:
    """Every city, every area that has a shop, and everywhere: (value, label in the manager's language)."""
    rows = Shop.objects.order_by("city_en", "area_en").values_list("city_en", "city_zh", "area_en", "area_zh")
    places: dict[str, str] = {EVERYWHERE: str(_("Everywhere"))}
    for known in cities.read():
        places[SEPARATOR.join((known.name_en or known.name_zh, ""))] = known.name
    for city_en, city_zh, area_en, area_zh in rows.distinct():
        city, area = city_en or city_zh, area_en or area_zh
        city_name = choose(city_en, city_zh)
        places[SEPARATOR.join((city, ""))] = city_name
        places[SEPARATOR.join((city, area))] = f"{city_name} · {choose(area_en, area_zh)}"
    return sorted(places.items())


def _split_place(value: str) -> Place:
    city, _separator, area = value.partition(SEPARATOR)
    return city, area


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

    @display(description=_("state"), label=switching.BADGES)
    def state(self, ad: Ad) -> Any:
        return switching.LABELS[switching.of_ad(ad)]

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
