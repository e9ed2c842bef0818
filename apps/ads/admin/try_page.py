""" "Why this ad here": which ads compete for a page, what each is worth there, and why the others lose."""

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django import forms
from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import resolve
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.ads import display, insight, roles
from apps.ads.admin.shop_choices import ShopField
from apps.ads.display import Subject
from apps.ads.insight import Candidate
from apps.ads.models import Ad
from apps.ads.money.amounts import format_amount
from apps.redis_kit import client
from apps.shops.models import Shop
from apps.web.problems import Problem

MAX_CANDIDATES = 24
MAX_ADDRESS_LENGTH = 1_000
#: The pages that have ads, by the name of their view.
SHOP_PAGE, NOTE_PAGE, SEARCH_PAGE = "shops:detail", "blog:note", "search:results"


class PageForm(forms.Form):
    """A page of the site: of a shop by its name, or any page that has ads by its address or its search."""

    shop = ShopField(
        label=gettext_lazy("Shop"),
        required=False,
        help_text=gettext_lazy("Type a part of its name, area or address."),
    )
    address = forms.CharField(
        label=gettext_lazy("Or the address of a page"),
        required=False,
        max_length=MAX_ADDRESS_LENGTH,
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy(
            "Pasted from the browser: of a shop, a note or a search. Words without a slash are a search."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and bool(cleaned["shop"]) == bool(cleaned["address"]):
            self.add_error("address", _("Choose a shop or paste an address, one of the two."))
        return cleaned

    def find_subject(self, request: HttpRequest) -> Subject | None:
        """What the page is about; None, with an error, for one that is not there or has no ads."""
        shop: Shop | None = self.cleaned_data["shop"]
        try:
            if shop:
                return display.for_shop(shop.pk)
            return _read_address(request, self.cleaned_data["address"])
        except (Http404, Problem):
            self.add_error("shop" if shop else "address", _("There is no such page."))
        except _NoAds:
            self.add_error(
                "address", _("This page has no ads: paste the address of a shop, a note or a search.")
            )
        return None


class _NoAds(Exception):
    """The address is of another page of the site."""


def _read_address(request: HttpRequest, address: str) -> Subject:
    """What the page of an address is about; Http404 or Problem without one, _NoAds for a page without ads."""
    if "/" not in address:
        return display.for_search(request, address)
    try:
        parts = urlsplit(address if "//" in address else f"//{address}" if address[0] != "/" else address)
        match = resolve(unquote(parts.path))
    except ValueError as error:
        raise Http404 from error
    if match.view_name == SEARCH_PAGE:
        query = parse_qs(parts.query).get("q", [""])
        return display.for_search(request, query[0][:MAX_ADDRESS_LENGTH])
    if match.view_name == SHOP_PAGE:
        return display.for_shop(match.kwargs["shop_id"])
    if match.view_name == NOTE_PAGE:
        return display.for_note(match.kwargs["note_id"])
    raise _NoAds


@permission_required(roles.SEE_ALL, raise_exception=True)
def view(request: HttpRequest) -> HttpResponse:
    """The form, and once it is sent, the candidates in the order of their value."""
    form = PageForm(request.GET if {"shop", "address"} & set(request.GET) else None)
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
