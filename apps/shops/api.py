"""The JSON API of shops."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query as FromQuery
from ninja import Router, Schema, Status
from pydantic import Field

from apps.accounts import auth
from apps.shops import access, areas, hours, hours_text, owning, shop_hours
from apps.shops.claims import corrections
from apps.shops.filters import MAX_PRICE, Filters
from apps.shops.geo import location
from apps.shops.hours import Schedule, SpecialDays
from apps.shops.lists import facets, json_rows, query_params
from apps.shops.lists.query import Query, Sort
from apps.shops.members import own_shops
from apps.shops.members.api import router as members
from apps.shops.models import Shop, ShopCorrection, ShopType
from apps.web import in_language, paging
from apps.web.problems import (
    Body,
    EmptyAsNone,
    PlainDigits,
    Problem,
    RowId,
    deprecation,
    documented,
    json_api,
)

router = Router()
router.add_router("", members)


Degrees = Annotated[float, Field(allow_inf_nan=False)]
Latitude = Annotated[
    Annotated[Degrees, Ge(-areas.MAX_LATITUDE), Le(areas.MAX_LATITUDE)] | None,
    EmptyAsNone(),
]
Longitude = Annotated[Annotated[Degrees, Ge(-180), Le(180)] | None, EmptyAsNone()]
#: An edge of a map that was dragged round the globe is counted on.
Edge = Annotated[
    Annotated[Degrees, Ge(-areas.MAX_UNWRAPPED), Le(areas.MAX_UNWRAPPED)] | None,
    EmptyAsNone(),
]
#: A type's id or slug; a slug of digits alone would be taken for an id.
TypeIdOrSlug = RowId | Annotated[str, Field(max_length=50, pattern=r"^[0-9]*[A-Za-z_-][A-Za-z0-9_-]*$")]
Price = Annotated[Annotated[int, Ge(0), Le(MAX_PRICE - 1), PlainDigits] | None, EmptyAsNone()]
Values = Annotated[list[Annotated[str, Field(max_length=180)]], Field(max_length=query_params.MAX_CHOICES)]
Radius = Annotated[Annotated[int, Ge(1), Le(areas.MAX_RADIUS_M), PlainDigits] | None, EmptyAsNone()]


class TypeOut(Schema):
    id: int
    slug: str = Field(description="its name in addresses")
    name: str
    icon: str = Field(description="a symbol of the site's icons")
    texts: in_language.Texts = None


class TypesOut(Schema):
    items: list[TypeOut]
    next: paging.Next


class ShopOut(Schema):
    """`rating` 0.0 to 5.0, `reviews` the notes with stars, `price` per person in minor units.

    `distance_m` is null without a place.
    """

    id: int
    type: TypeOut
    name: str
    city: str
    area: str
    address: str
    lat: float = Field(description="degrees, WGS 84")
    lng: float = Field(description="degrees, WGS 84")
    price: int = Field(description="a person, in the smallest unit of `currency`")
    currency: str = Field(description="ISO 4217")
    rating: float = Field(description="0.0 to 5.0 stars")
    reviews: int = Field(description="notes with stars")
    popularity: int = Field(description="points; only their order means something")
    hours: str = Field(description="a week in a line; as the shop writes them where they can't be read")
    is_open: bool | None = Field(description="now; null where the hours can't be read")
    cover_url: str = Field(description="URL of the picture of lists")
    url: str = Field(description="the shop's page")
    distance_m: int | None = Field(None, description="metres; null without a place")
    texts: in_language.Texts = None

    @staticmethod
    def resolve_hours(shop: Shop) -> str:
        return shop_hours.format_line(shop)

    @staticmethod
    def resolve_is_open(shop: Shop) -> bool | None:
        return shop_hours.read_state(shop).is_open

    @staticmethod
    def resolve_rating(shop: Shop) -> float:
        return shop.stars

    @staticmethod
    def resolve_url(shop: Shop) -> str:
        return shop.get_absolute_url()


class ScoresOut(Schema):
    """Means of what notes gave, 1.0 to 5.0 or null; `taste` is the quality where a shop has no dishes."""

    taste: float | None = Field(description="1.0 to 5.0")
    room: float | None = Field(description="1.0 to 5.0")
    service: float | None = Field(description="1.0 to 5.0")


class SpanOut(Schema):
    opens: str = Field(description="HH:MM", examples=["18:00"])
    closes: str = Field(description="HH:MM, past midnight over 24:00", examples=["26:00"])


class DayHoursOut(Schema):
    day: Literal["mo", "tu", "we", "th", "fr", "sa", "su"] = Field(description="from Monday on")
    spans: list[SpanOut] = Field(description="none on a day that is closed")


class SpecialDaysOut(Schema):
    first: date = Field(description="the first day")
    last: date | None = Field(description="null until further notice")
    spans: list[SpanOut] = Field(description="none while it is closed")


class HoursOut(Schema):
    """When a shop is open, by the clock of its city. A span belongs to the day on which it begins."""

    is_known: bool = Field(description="whether the hours could be read; false: see `hours` of the shop")
    time_zone: str = Field(description="of its city", examples=["Asia/Shanghai"])
    closes_at: datetime | None = Field(description="of an open shop; null where it doesn't close")
    opens_at: datetime | None = Field(description="of a closed shop; null where nobody knows")
    week: list[DayHoursOut] = Field(description="seven days from Monday on, none where the hours are unknown")
    holidays: list[SpanOut] | None = Field(description="public holidays; null where they are like other days")
    exceptions: list[SpecialDaysOut] = Field(description="days that differ from the week")
    text: str = Field(
        description="all of it, as OpenStreetMap's `opening_hours` with dates of ISO 8601",
        examples=["Mo-Sa 10:00-22:00; Su off; 2027-01-01 12:00-16:00"],
    )


class SpanIn(Body):
    opens: Annotated[str, Field(pattern=r"^[0-9]{1,2}:[0-9]{2}$", description="HH:MM", examples=["18:00"])]
    closes: Annotated[
        str,
        Field(
            pattern=r"^[0-9]{1,2}:[0-9]{2}$",
            description="HH:MM; 02:00 and 26:00 are on the next day",
            examples=["26:00"],
        ),
    ]


SpansIn = Annotated[
    list[SpanIn], Field(max_length=hours.MAX_SPANS_A_DAY, description="none while it is closed")
]


class DayHoursIn(Body):
    day: Annotated[Literal["mo", "tu", "we", "th", "fr", "sa", "su"], Field(description="of a week")]
    spans: SpansIn


class SpecialDaysIn(Body):
    first: Annotated[date, Field(description="the first day")]
    last: Annotated[date | None, Field(description="null until further notice")]
    spans: SpansIn


class HoursIn(Body):
    """Either `text` or `week`, in which days that aren't named are closed."""

    text: Annotated[
        str | None,
        Field(max_length=hours_text.MAX_TEXT_LETTERS, description="as a file for the import has them"),
    ] = None
    week: Annotated[list[DayHoursIn] | None, Field(max_length=7, description="days and their hours")] = None
    holidays: Annotated[
        SpansIn | None, Field(description="public holidays; null where they are like other days")
    ] = None
    exceptions: Annotated[
        list[SpecialDaysIn],
        Field(
            max_length=hours.MAX_EXCEPTIONS, description="days that differ; of two for a day the later counts"
        ),
    ] = []


class ShopDetailOut(ShopOut):
    about: str
    phone: str
    scores: ScoresOut
    opening_hours: HoursOut = Field(description="the week, and the days that differ")

    @staticmethod
    def resolve_opening_hours(shop: Shop) -> dict[str, Any]:
        return shop_hours.build_json(shop)


class FilterChoiceOut(Schema):
    """A choice of a filter: `number` of a city's shops, null where it isn't counted."""

    value: str = Field(description="to send")
    label: str = Field(description="to show")
    number: int | None = Field(description="shops of the city; null where it isn't counted")
    is_chosen: bool


class ShopsOut(Schema):
    """`facets` by filter (area, price, voucher), on the first page of a list with `city`."""

    items: list[ShopOut]
    next: paging.Next
    facets: dict[str, list[FilterChoiceOut]] | None = None


class CityOut(Schema):
    """A city as `/shops/?city=` takes it."""

    slug: str
    name: str


class ShopsIn(Schema):
    """A place (lat, lng, radius_m), a city, a map window (south, west, north, east), or none of them.

    `area`: names in either language, or values of facets. `price`: bands, "1" the cheapest; `price_from` and
    `price_to` per person in minor units. Any of the areas and any of the prices.
    """

    type: Annotated[TypeIdOrSlug | None, EmptyAsNone(), Field(description="id or slug of a shop type")] = None
    lat: Latitude = None
    lng: Longitude = None
    radius_m: Annotated[Radius, Field(description="metres around the place")] = None
    south: Latitude = None
    west: Edge = None
    north: Latitude = None
    east: Edge = None
    city: Annotated[str, Field(max_length=50)] = ""
    area: Annotated[
        Values, Field(description="names in either language, or values of facets; any of them")
    ] = []
    price: Annotated[Values, Field(description='bands, "1" the cheapest; any of them')] = []
    price_from: Annotated[Price, Field(description="a person, in minor units: 100 are a yuan")] = None
    price_to: Annotated[Price, Field(description="a person, in minor units: 100 are a yuan")] = None
    open_now: bool = Field(False, description="only shops that are open now")
    voucher: bool = Field(False, description="only shops that sell vouchers")
    sort: Annotated[Sort | None, EmptyAsNone(), Field(description="by distance needs a place")] = None
    cursor: paging.Cursor = ""
    size: paging.Size = paging.PAGE_SIZE
    all_languages: in_language.AllLanguages = False


@router.get(
    "/shop-types",
    operation_id="listShopTypes",
    response=TypesOut | list[TypeOut],
    exclude_unset=True,
    summary="The types of shops",
)
@json_api.public(seconds=10)
@deprecation.deprecates(without=["cursor", "size"], since=date(2026, 11, 26), instead="size")
def list_types(
    request: HttpRequest,
    cursor: paging.Cursor = "",
    size: paging.SizeOrAll = None,
    all_languages: in_language.AllLanguages = False,
) -> dict[str, Any] | list[dict[str, Any]]:
    """In the order of the site's pages. Without `cursor` and `size` a bare array of all: deprecated."""
    found = list(ShopType.objects.all())
    page = paging.cut_list(found, key=lambda kind: kind.pk, kind="types", cursor=cursor, size=size)
    items = [json_rows.build_type(kind, all_languages=all_languages) for kind in page.items]
    return {"items": items, "next": page.next} if cursor or size else items


@router.get(
    "/cities/here",
    operation_id="getMyCity",
    response=CityOut,
    summary="Your city",
    openapi_extra={"security": [{}, *documented.COOKIE["security"]]},
)
def read_own_city(request: HttpRequest, response: HttpResponse) -> CityOut:
    """The city of your profile, or else of your address; the first one where neither is one of the site's.

    On a site without cities the slug is empty.
    """
    response["Cache-Control"] = "private, no-store"
    city = location.city_of_reader(request)
    return CityOut(slug=city.slug, name=str(city.name))


@router.get(
    "/shops",
    operation_id="listShops",
    response=ShopsOut,
    summary="Shops near a place, of a map window, or everywhere",
    openapi_extra=documented.problems({422: ["invalid"], 503: ["busy"]}),
)
@json_api.public(seconds=10)
def list_shops(request: HttpRequest, wanted: FromQuery[ShopsIn]) -> HttpResponse:
    """Sorted by distance (with a place), rating, popular or price.

    With filters that few shops pass, a page by distance may hold fewer than `size` and still have a `next`.
    """
    query = _build_query(wanted)
    page = query_params.load_page(query, cursor=wanted.cursor, size=wanted.size)
    items = json_rows.build_many(page.items, all_languages=wanted.all_languages)
    answer: dict[str, Any] = {"items": items, "next": page.next}
    if wanted.city and not wanted.cursor:
        answer["facets"] = _build_facets(wanted, query.kind)
    return json_api.unchecked_response(request, answer)


@router.get(
    "/shops/{shop_id}",
    operation_id="getShop",
    response=ShopDetailOut,
    summary="One shop",
    openapi_extra=documented.problems({404: ["not_found"], 503: ["busy"]}),
)
@json_api.public(seconds=10)
def read_shop(
    request: HttpRequest, shop_id: RowId, all_languages: in_language.AllLanguages = False
) -> HttpResponse:
    """With its text, its phone, and what its guests gave for food, room and service."""
    shop = query_params.load_shop(shop_id)
    item = json_rows.build(shop, all_languages=all_languages)
    more = {"about": shop.about, "phone": shop.phone, "scores": shop.scores}
    more["opening_hours"] = shop_hours.build_json(shop)
    return json_api.unchecked_response(request, item | more)


@router.put(
    "/shops/{shop_id}/hours",
    operation_id="setShopHours",
    auth=auth.bearer,
    response=HoursOut,
    summary="Say when a shop is open",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 403: ["forbidden", "suspended"], 404: ["not_found"], 422: ["invalid"]}
    ),
)
def write_hours(request: HttpRequest, shop_id: RowId, sent: HoursIn) -> dict[str, Any]:
    """For its owners only. It replaces all hours: the week, public holidays and exceptions.

    A `text` that isn't wholly understood is 422 and changes nothing.
    """
    user = auth.require_user(request)
    shop = own_shops.require_owned_shop(shop_id, user)
    owning.save_schedule(shop, _read_schedule(sent), user)
    return shop_hours.build_json(shop)


CorrectionKind = Annotated[
    Literal["closed", "moved", "hours", "phone", "twice"],
    Field(description="closed for good, moved to another address, wrong hours or phone, in the list twice"),
]


class CorrectionIn(Body):
    """`value` is the new address, hours or phone, or says which the other shop is."""

    kind: CorrectionKind
    value: str = Field("", max_length=200)
    text: str = Field("", max_length=500)


class CorrectionOut(Schema):
    id: int
    shop_id: int
    kind: CorrectionKind
    value: str
    text: str = Field(description="in the person's words")
    state: Literal["open", "accepted", "refused"]
    created_at: datetime


@router.post(
    "/shops/{shop_id}/corrections",
    operation_id="correctShop",
    auth=auth.bearer,
    response={200: CorrectionOut, 201: CorrectionOut},
    summary="Say what is wrong about a shop",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 403: ["suspended"], 404: ["not_found"]}
        | {422: ["invalid"], 429: ["too_many_requests"]}
    ),
)
def correct(request: HttpRequest, shop_id: RowId, sent: CorrectionIn) -> Status[ShopCorrection]:
    """Its owner or staff makes the change. 201, or 200 with what you have sent of this kind and is open.

    Counts among the 20 reports an hour.
    """
    found, is_new = corrections.send(access.shop(shop_id), auth.require_user(request), **sent.dict())
    return Status(201 if is_new else 200, found)


def _read_schedule(sent: HoursIn) -> Schedule:
    """The schedule of a request; Problem 422 for a time that isn't there or words that aren't understood."""
    try:
        found = hours_text.read(sent.text or "") if sent.week is None else _read_week(sent, sent.week)
    except ValueError as error:
        raise Problem(422, "invalid", _("A time or a day of these hours doesn't exist.")) from error
    if found is None:
        raise Problem(422, "invalid", _("These hours aren't understood."))
    return found


def _read_week(sent: HoursIn, week: list[DayHoursIn]) -> Schedule:
    by_day = {one.day.capitalize(): _read_spans(one.spans) for one in week}
    holidays = None if sent.holidays is None else _read_spans(sent.holidays)
    return Schedule(tuple(by_day.get(day, ()) for day in hours.DAYS), holidays).with_exceptions(
        SpecialDays(one.first, one.last or hours.FOREVER, _read_spans(one.spans)) for one in sent.exceptions
    )


def _read_spans(spans: list[SpanIn]) -> hours.Spans:
    return hours.normalize_spans(
        hours.make_span(hours.load_minute(one.opens), hours.load_minute(one.closes)) for one in spans
    )


def _build_query(wanted: ShopsIn) -> Query:
    place, radius = (wanted.lat, wanted.lng), wanted.radius_m
    if wanted.city:
        city = query_params.find_city(wanted.city)
        if not city.is_everywhere:
            place, radius = (city.lat, city.lng), radius or city.radius_m
    return query_params.build_query(
        kind=query_params.type_id(wanted.type),
        at=place,
        radius_m=radius,
        box=(wanted.south, wanted.west, wanted.north, wanted.east),
        sort=wanted.sort,
        chosen=_build_filters(wanted),
    )


def _build_filters(wanted: ShopsIn) -> Filters:
    return query_params.build_filters(
        area_names=wanted.area,
        bands=wanted.price,
        price=(wanted.price_from, wanted.price_to),
        open_now=wanted.open_now,
        voucher=wanted.voucher,
    )


def _build_facets(wanted: ShopsIn, kind: int) -> dict[str, list[dict[str, Any]]]:
    counts = facets.read(query_params.find_city(wanted.city), kind)
    chosen = {"area": wanted.area, "price": wanted.price, "voucher": ["1"] if wanted.voucher else []}
    groups = facets.build_groups(counts, chosen, counted=True)
    return {name: [choice._asdict() for choice in choices] for name, choices in groups.items()}
