from typing import Annotated, Any

from annotated_types import Ge, Le
from django.http import HttpRequest, HttpResponse
from ninja import Query as FromQuery
from ninja import Router, Schema
from pydantic import BeforeValidator, Field

from apps.problems import PlainInt, RowId, documented, json_api
from apps.redis_kit import paging
from apps.shops import areas, asked, json_rows
from apps.shops.models import Shop, ShopType
from apps.shops.query import Sort

router = Router()


def _given(value: Any) -> Any:
    """An empty parameter is one that was not given."""
    return None if value == "" else value


Degrees = Annotated[float, Field(allow_inf_nan=False)]
Latitude = Annotated[
    Annotated[Degrees, Ge(-areas.LATITUDE_LIMIT), Le(areas.LATITUDE_LIMIT)] | None, BeforeValidator(_given)
]
Longitude = Annotated[Annotated[Degrees, Ge(-180), Le(180)] | None, BeforeValidator(_given)]
#: A type's id or slug; a slug of digits alone would be taken for an id.
Kind = RowId | Annotated[str, Field(max_length=50, pattern=r"^[0-9]*[A-Za-z_-][A-Za-z0-9_-]*$")]
Radius = Annotated[Annotated[PlainInt, Ge(1), Le(areas.RADIUS_LIMIT)] | None, BeforeValidator(_given)]


class TypeOut(Schema):
    id: int
    slug: str
    name: str
    icon: str

    @staticmethod
    def resolve_name(kind: ShopType) -> str:
        return kind.label


class ShopOut(Schema):
    """`rating` 0.0 to 5.0; `price` per person in minor units; `distance_m` null without a place."""

    id: int
    type: TypeOut
    name: str
    city: str
    area: str
    address: str
    lat: float
    lng: float
    price: int
    currency: str
    rating: float
    reviews: int
    popularity: int
    hours: str
    is_open: bool | None
    cover_url: str
    url: str
    distance_m: int | None = None

    @staticmethod
    def resolve_rating(shop: Shop) -> float:
        return shop.stars

    @staticmethod
    def resolve_url(shop: Shop) -> str:
        return shop.get_absolute_url()


class ShopDetailOut(ShopOut):
    about: str
    phone: str


class ShopsOut(Schema):
    items: list[ShopOut]
    next: str | None


class ShopsIn(Schema):
    """A place (lat, lng, radius_m) or a map window (south, west, north, east), or neither."""

    type: Annotated[Kind | None, BeforeValidator(_given)] = None
    lat: Latitude = None
    lng: Longitude = None
    radius_m: Radius = None
    south: Latitude = None
    west: Longitude = None
    north: Latitude = None
    east: Longitude = None
    sort: Annotated[Sort | None, BeforeValidator(_given)] = None
    cursor: Annotated[str, Field(max_length=paging.MAX_LENGTH)] = ""


@router.get("/shop-types", response=list[TypeOut], summary="The types of shops")
def list_types(request: HttpRequest) -> list[ShopType]:
    return list(ShopType.objects.all())


@router.get(
    "/shops",
    response=ShopsOut,
    summary="Shops near a place, of a map window, or everywhere",
    openapi_extra=documented.problems({400: ["bad_cursor"], 422: ["invalid"], 503: ["busy"]}),
)
def list_shops(request: HttpRequest, wanted: FromQuery[ShopsIn]) -> HttpResponse:
    """Sorted by distance (with a place), rating, popular or price; `next` is the cursor of the next 20.

    Around a place, lists by rating, popularity or price compare the nearest 300 shops and some more.
    """
    query = asked.query(
        kind=asked.kind(wanted.type),
        at=(wanted.lat, wanted.lng),
        radius_m=wanted.radius_m,
        box=(wanted.south, wanted.west, wanted.north, wanted.east),
        sort=wanted.sort,
    )
    page = asked.page(query, cursor=wanted.cursor)
    return json_api.plain({"items": json_rows.rows(page.items), "next": page.next})


@router.get(
    "/shops/{shop_id}",
    response=ShopDetailOut,
    summary="One shop",
    openapi_extra=documented.problems({404: ["not_found"], 503: ["busy"]}),
)
def read_shop(request: HttpRequest, shop_id: RowId) -> HttpResponse:
    shop = asked.shop(shop_id)
    return json_api.plain(json_rows.row(shop) | {"about": shop.about, "phone": shop.phone})
