"""The JSON API of ads: what fills a page's box, and what its viewer did with it."""

from collections.abc import Callable
from typing import Annotated, Literal

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Path, Query, Router, Schema
from pydantic import Field

from apps.accounts import auth
from apps.ads import display, limits, serving
from apps.ads.display import Subject
from apps.ads.serving import Outcome, Recorded
from apps.ads.viewer import Viewer
from apps.redis_kit import client
from apps.web.problems import Problem, RowId, documented, json_api

router = Router()
Ticket = Annotated[
    str, Path(pattern=f"^{serving.TICKET_PATTERN.pattern}$", max_length=42, description="of GET /api/ads")
]
NO_STORE = {"Cache-Control": "private, no-store"}
_REFUSALS = {401: ["not_logged_in"], 404: ["unknown_ticket"], 429: ["too_many_requests"], 503: ["busy"]}
_RECORDED = documented.problems(_REFUSALS)


class AdOut(Schema):
    """`title`, `text` and `advertiser` are in the reader's language where there is one."""

    id: int
    title: str
    title_language: str = Field(description="en or zh-Hans")
    text: str
    text_language: str = Field(description="en or zh-Hans")
    advertiser: str
    advertiser_language: str = Field(description="en or zh-Hans")
    picture: str | None = Field(description="URL; null without one")
    shop_id: int | None
    url: str = Field(description="counts the click and redirects")
    why: str = Field(description="a sentence for the reader: who pays, for which place and words")


class ServedOut(Schema):
    ticket: str = Field(description="15 minutes for the view, 15 more for the click, 24 hours for the action")
    ad: AdOut


class AdsIn(Schema):
    """`shop` or `note` is the page's id, `q` the search's text; a search is in `city`."""

    place: Literal["shop", "note", "search"]
    shop: RowId | None = None
    note: RowId | None = None
    q: Annotated[str, Field(max_length=200)] = ""
    city: Annotated[str, Field(max_length=50)] = ""


@router.get(
    "/ads",
    operation_id="getAd",
    auth=auth.optional_bearer,
    response={200: ServedOut, 204: None},
    summary="The ad for a place on a page",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 404: ["not_found"], 422: ["invalid"], 429: ["too_many_requests"]}
    ),
)
def choose_ad(request: HttpRequest, wanted: Query[AdsIn]) -> HttpResponse:
    """204 when nothing fits, for a person who hid what would, and while Redis is away."""
    viewer, subject = display.identify_viewer(request), _find_subject(request, wanted)
    limits.charge(limits.CHOICES, viewer)
    try:
        served = serving.choose(wanted.place, subject.words, subject.locations, viewer)
    except client.UNAVAILABLE:
        served = None
    found = display.build(served, subject) if served else None
    if found is None:
        return HttpResponse(status=204, headers=NO_STORE)
    return json_api.unchecked_response(request, found, headers=NO_STORE)


def _find_subject(request: HttpRequest, wanted: AdsIn) -> Subject:
    if wanted.place == "shop" and wanted.shop:
        return display.for_shop(wanted.shop)
    if wanted.place == "note" and wanted.note:
        return display.for_note(wanted.note)
    if wanted.place == "search":
        return display.for_search(request, wanted.q)
    raise Problem(422, "invalid", _("Name what the page shows."), field=wanted.place)


@router.post(
    "/ads/{ticket}/view",
    operation_id="recordAdView",
    auth=auth.optional_bearer,
    response={204: None},
    summary="Half of the ad was seen for a second",
    openapi_extra=_RECORDED,
)
def view_ad(request: HttpRequest, ticket: Ticket) -> HttpResponse:
    """Within 15 minutes; again is fine and counts once."""
    return _record(request, ticket, serving.record_view)


@router.post(
    "/ads/{ticket}/click",
    operation_id="recordAdClick",
    auth=auth.optional_bearer,
    response={204: None},
    summary="The ad was followed",
    openapi_extra=_RECORDED,
)
def click_ad(request: HttpRequest, ticket: Ticket) -> HttpResponse:
    """Within 15 minutes of the view; again is fine and counts once. The ad's `url` does it by itself."""
    return _record(request, ticket, serving.record_click)


@router.post(
    "/ads/{ticket}/action",
    operation_id="recordAdAction",
    auth=auth.optional_bearer,
    response={204: None},
    summary="Something was bought in the ad's shop",
    openapi_extra=documented.problems(_REFUSALS | {409: ["nothing_bought"]}),
)
def act_on_ad(request: HttpRequest, ticket: Ticket) -> HttpResponse:
    """Within 24 hours of the click, once the viewer has paid an order there; again is fine, counts once."""
    return _record(request, ticket, display.record_purchase)


@router.post(
    "/ads/{ticket}/hide",
    operation_id="hideAd",
    auth=auth.optional_bearer,
    response={204: None},
    summary="Hide this ad",
    openapi_extra=_RECORDED,
)
def hide_ad(request: HttpRequest, ticket: Ticket) -> HttpResponse:
    """This viewer doesn't get the ad again for 30 days."""
    viewer = _charged_viewer(request)
    if not serving.hide(ticket, viewer):
        raise Problem(404, "unknown_ticket")
    return HttpResponse(status=204, headers=NO_STORE)


def _record(request: HttpRequest, ticket: str, record: Callable[[str, Viewer], Recorded]) -> HttpResponse:
    """204 whether or not it counts: a bot need not know. A ticket of another viewer, or of none, is 404."""
    if record(ticket, _charged_viewer(request)).outcome is Outcome.UNKNOWN:
        raise Problem(404, "unknown_ticket")
    return HttpResponse(status=204, headers=NO_STORE)


def _charged_viewer(request: HttpRequest) -> Viewer:
    viewer = display.identify_viewer(request)
    limits.charge(limits.EVENTS, viewer)
    return viewer
