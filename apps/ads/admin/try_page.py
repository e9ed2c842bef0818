""" "Why this ad here": which ads compete for a page, what each is worth there, and why the others lose."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from apps.ads import insight, roles
from apps.ads.display import subjects
from apps.ads.display.subjects import Subject
from apps.ads.insight import Candidate
from apps.ads.models import Ad
from apps.ads.money.amounts import format_amount
from apps.redis_kit import client
from apps.web.problems import Problem
from apps.web.problems.ids import MAX_ROW_ID

PLACES = (
    ("shop", gettext_lazy("a shop's page")),
    ("note", gettext_lazy("a note's page")),
    ("search", gettext_lazy("a search")),
)
MAX_CANDIDATES = 24


class PageForm(forms.Form):
    """A page of the site: of a shop or a note by its number, or of a search by its text."""

    place = forms.ChoiceField(label=gettext_lazy("Page"), choices=PLACES, widget=UnfoldAdminSelectWidget)
    number = forms.IntegerField(
        label=gettext_lazy("Number of the shop or note"),
        required=False,
        min_value=1,
        max_value=MAX_ROW_ID,
        widget=UnfoldAdminIntegerFieldWidget,
    )
    q = forms.CharField(
        label=gettext_lazy("Text of the search"),
        required=False,
        max_length=200,
        widget=UnfoldAdminTextInputWidget,
    )

    def find_subject(self, request: HttpRequest) -> Subject | None:
        """What the page is about; None, with an error at the field, for a page that is not there."""
        place, number = self.cleaned_data["place"], self.cleaned_data["number"]
        if place == "search":
            return subjects.for_search(request, self.cleaned_data["q"])
        try:
            return (subjects.for_shop if place == "shop" else subjects.for_note)(number or 0)
        except (Http404, Problem):
            self.add_error("number", _("There is no such page."))
            return None


@permission_required(roles.SEE_ALL, raise_exception=True)
def view(request: HttpRequest) -> HttpResponse:
    """The form, and once it is sent, the candidates in the order of their value."""
    form = PageForm(request.GET if "place" in request.GET else None, initial={"place": "shop"})
    subject = form.find_subject(request) if form.is_bound and form.is_valid() else None
    context = admin.site.each_context(request) | {
        "title": _("Why this ad here"),
        "form": form,
        "subject": subject,
        "candidates": _list_candidates(subject) if subject else None,
    }
    return render(request, "admin/ads/try_page.html", context)


def _list_candidates(subject: Subject) -> list[dict[str, Any]] | None:
    """The best candidates with their ads; None while Redis is away."""
    try:
        found = insight.why_here(subject.words, subject.locations, limit=MAX_CANDIDATES)
    except client.UNAVAILABLE:
        return None
    ads = Ad.objects.select_related("campaign__advertiser").in_bulk([one.ad_id for one in found])
    listed = [(one, ads[one.ad_id], _find_obstacle(one, ads[one.ad_id])) for one in found if one.ad_id in ads]
    winner = next((one for one, _ad, obstacle in listed if not obstacle), None)
    return [
        _build_row(one, ad, subject) | {"result": obstacle or _compare(one, winner)}
        for one, ad, obstacle in listed
    ]


def _build_row(one: Candidate, ad: Ad, subject: Subject) -> dict[str, Any]:
    record = insight.read_record(one.ad_id)
    largest_bonus = max((0, *record.words.values())) if record else 0
    return {
        "ad": ad,
        "place": subject.place_names[subject.locations.index(one.location)],
        "words": ", ".join(one.words),
        "ceiling": format_amount(one.ecpm + largest_bonus),
        "ecpm": format_amount(one.ecpm),
        "bonus": format_signed(one.value - one.ecpm),
        "value": format_amount(one.value),
    }


def _find_obstacle(one: Candidate, ad: Ad) -> str:
    """Why the ad may not run now, or ""."""
    if not one.is_open:
        return _("not now: its campaign is stopped, over or planned")
    live = insight.live_state(ad.campaign_id)
    is_spent = live is not None and live.left_micros < ad.campaign.cost_micros
    return _("not now: the budget is spent") if is_spent else ""


def _compare(one: Candidate, winner: Candidate | None) -> str:
    return _("wins: the highest value here") if one is winner else _("loses: another ad is worth more here")


def format_signed(micros: int) -> str:
    """ "+¥1.20" or "−¥0.30"."""
    sign = "−" if micros < 0 else "+"  # noqa: RUF001 - a minus sign
    return f"{sign}{format_amount(abs(micros))}"
