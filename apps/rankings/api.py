"""The JSON API of rankings."""

from collections.abc import Sequence
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Query as FromQuery
from ninja import Router, Schema
from pydantic import Field

from apps.rankings import display
from apps.rankings.rankings import RankedShop
from apps.shops.api import ShopOut, TypeIdOrSlug
from apps.shops.geo import cities
from apps.shops.lists import json_rows, query_params
from apps.shops.lists.rows import ShopRow
from apps.web import paging
from apps.web.problems import documented, json_api

router = Router()


class RankedShopOut(Schema):
    rank: int = Field(description="1 is the first")
    change: int = Field(description="places up since the end of last week, below zero down")
    is_new: bool = Field(description="whether last week's ranking had it not")
    shop: ShopOut


class RankingOut(Schema):
    items: list[RankedShopOut]
    next: paging.Next = None


class RankingIn(Schema):
    """`city` as `/api/cities/here` names it, empty for the first one."""

    type: TypeIdOrSlug
    city: Annotated[str, Field(max_length=50)] = ""
    cursor: paging.Cursor = ""
    size: paging.SizeOrAll = None


@router.get(
    "/rankings",
    operation_id="listRanking",
    response=RankingOut,
    summary="A city's best shops of a type this week",
    openapi_extra=documented.problems({422: ["invalid"], 503: ["busy"]}),
)
@json_api.public(seconds=10)
def list_ranking(request: HttpRequest, wanted: FromQuery[RankingIn]) -> HttpResponse:
    """At most 50, by visitors, saves, notes and orders, which count half a week later. Made every hour."""
    type_id = query_params.type_id(wanted.type) or 0
    city = query_params.find_city(wanted.city) if wanted.city else cities.first()
    ranked, kind = display.load_shops(city, type_id), f"ranking:{city.slug}:{type_id}"
    page = paging.cut_list(
        ranked, key=lambda row: row[1].pk, kind=kind, cursor=wanted.cursor, size=wanted.size
    )
    return json_api.unchecked_response(request, {"items": _build_places(page.items), "next": page.next})


def _build_places(ranked: Sequence[tuple[RankedShop, ShopRow]]) -> list[dict[str, Any]]:
    shops = json_rows.build_many(shop for _place, shop in ranked)
    places = (place for place, _shop in ranked)
    return [
        {"rank": place.rank, "change": place.change, "is_new": place.is_new, "shop": shop}
        for place, shop in zip(places, shops, strict=True)
    ]
