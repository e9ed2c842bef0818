"""What the JSON API of search takes and answers."""

from typing import Annotated, Any

from ninja import Schema
from pydantic import Field

from apps.search.query import search
from apps.search.query.search import PAGE_SIZE, SearchPage, SearchRequest
from apps.shops.api import Latitude, Longitude
from apps.web import paging
from apps.web.problems import PlainDigits

#: Values of one facet that one request may choose.
Values = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=20)]


class PartOut(Schema):
    text: str
    is_marked: bool


class HitOut(Schema):
    """`title` and `snippet` also in parts, of which the searched words are marked."""

    kind: str
    id: int
    title: str
    title_parts: list[PartOut]
    snippet: str
    snippet_parts: list[PartOut]
    url: str
    distance_m: int | None


class FacetOut(Schema):
    value: str
    label: str
    count: int
    is_chosen: bool


class SearchOut(Schema):
    """`dropped`: words left out, since all together find nothing; `corrected`: what was searched instead.

    `total` counts all hits, those of very common words roughly; the first `reachable` can be paged through.
    `notice` says so when they differ, and that signs alone are nothing to search for: a sentence in the
    language of the request, or "".
    """

    kind: str
    items: list[HitOut]
    total: int
    reachable: int
    notice: str
    dropped: list[str]
    corrected: str
    did_you_mean: str
    facets: dict[str, list[FacetOut]]
    kinds: dict[str, int]
    next: paging.Next


class SearchIn(Schema):
    """`kind` is shops, notes, people or sales, or "" for the first that has hits; "-" reverses a sort.

    `exact` finds the words as they are typed alone: no other forms, no repaired spelling. Facets may be
    repeated: any of their values.
    """

    q: Annotated[str, Field(max_length=2_000)] = ""
    kind: Annotated[str, Field(max_length=20)] = ""
    sort: Annotated[str, Field(max_length=20)] = "relevance"
    mix: Annotated[int, Field(ge=0, le=100), PlainDigits] = 50
    type: Values = []
    area: Values = []
    city: Values = []
    price: Values = []
    rating: Values = []
    voucher: Values = []
    open_now: bool = False
    lat: Latitude = None
    lng: Longitude = None
    within_km: Annotated[float, Field(gt=0, le=20_000, allow_inf_nan=False)] | None = None
    exact: bool = False
    cursor: paging.Cursor = ""
    size: paging.Size = PAGE_SIZE


def build_request(wanted: SearchIn, viewer_id: int | None) -> SearchRequest:
    """The search of a request; a place needs both of its numbers."""
    facets = ("type", "area", "city", "price", "rating", "voucher")
    has_place = wanted.lat is not None and wanted.lng is not None
    return SearchRequest(
        text=wanted.q,
        kind=wanted.kind,
        order=wanted.sort,
        mix=wanted.mix,
        filters={facet: chosen for facet in facets if (chosen := getattr(wanted, facet))},
        open_now=wanted.open_now,
        near=(wanted.lat or 0.0, wanted.lng or 0.0) if has_place else None,
        within_km=wanted.within_km,
        viewer_id=viewer_id,
        exact=wanted.exact,
        cursor=wanted.cursor,
        size=wanted.size,
    )


def build_answer(page: SearchPage) -> dict[str, Any]:
    """A page of hits as the API gives it."""
    items = [
        {
            **hit._asdict(),
            "title": "".join(part.text for part in hit.title),
            "title_parts": [part._asdict() for part in hit.title],
            "snippet": "".join(part.text for part in hit.snippet),
            "snippet_parts": [part._asdict() for part in hit.snippet],
        }
        for hit in page.hits
    ]
    facets = {
        facet: [{**choice._asdict(), "count": choice.number} for choice in choices]
        for facet, choices in page.facets.items()
    }
    named = ("kind", "total", "reachable", "dropped", "corrected", "did_you_mean", "kinds", "next")
    answer = {name: getattr(page, name) for name in named}
    return {"items": items, "facets": facets, "notice": search.describe_page(page)} | answer
