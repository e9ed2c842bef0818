"""How many shops of a city each choice of a filter has, counted in SQL and cached for ten minutes."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple, TypedDict

from django.db.models import Count, Q
from django.utils import timezone

from apps.redis_kit import cache
from apps.shops import filters, findable_shops, keys
from apps.shops.geo import cities
from apps.shops.models import City, Shop, ShopQuerySet, ShopType
from apps.web import findable

MAX_AREAS = 30


class Counts(TypedDict):
    """`areas` as (value, number), the commonest first; `prices` by band; shops with a voucher."""

    areas: list[tuple[str, int]]
    prices: dict[str, int]
    vouchers: int


class Choice(NamedTuple):
    """A value of a filter in the active language; `number` None where it isn't known."""

    value: str
    label: str
    number: int | None
    is_chosen: bool


class Group(NamedTuple):
    """The choices of one filter; `name` is the parameter."""

    name: str
    label: str
    values: Sequence[Choice]


def _count(city: str, kind: str) -> Counts | None:
    """The counts of a city's shops, of one type or ("0") of all; three aggregates of one window."""
    place = cities.find(city)
    if place is None:
        return None
    shops = _shops_of(place)
    if int(kind) != keys.ALL_TYPES:
        shops = shops.filter(type_id=int(kind))
    prices, vouchers = _count_prices_and_vouchers(shops)
    return Counts(areas=_count_areas(shops), prices=prices, vouchers=vouchers)


def _shops_of(city: City) -> ShopQuerySet:
    shops = Shop.objects.open_to_public()
    return shops if city.is_everywhere else shops.within(city.bounds)


def has_area(city: City, name: str) -> bool:
    """Whether a listed shop of the city lies in an area, by its name or a facet's value."""
    named = filters.Filters(areas=tuple(filters.fold_names(name)))
    return bool(named.areas) and _shops_of(city).filter(named.to_sql()).exists()


def _count_areas(shops: ShopQuerySet) -> list[tuple[str, int]]:
    rows = shops.order_by().values_list("area_en", "area_zh").annotate(number=Count("pk"))
    counted = [(findable.pair_value(english, chinese), number) for english, chinese, number in rows]
    return sorted(counted, key=lambda one: (-one[1], one[0]))[:MAX_AREAS]


def _count_prices_and_vouchers(shops: ShopQuerySet) -> tuple[dict[str, int], int]:
    bands = {}
    for number, start in enumerate(filters.band_starts(), start=1):
        _start, end = filters.band_range(str(number)) or (start, filters.MAX_PRICE)
        bands[f"band_{number}"] = Count("pk", filter=Q(price__gte=start, price__lt=end))
    counted = shops.aggregate(**bands, vouchers=Count("pk", filter=Q(vouchers_until__gt=timezone.now())))
    vouchers = counted.pop("vouchers")
    return {name.removeprefix("band_"): number for name, number in counted.items()}, vouchers


COUNTS: cache.Cache[Counts] = cache.Cache(
    keys.FACETS, load=_count, fresh=timedelta(minutes=10), ttl=timedelta(hours=6)
)


def read(city: City, kind: int) -> Counts:
    """The counts of a city and a type (0: all); empty without a city, and while too many wait for them."""
    try:
        counts = COUNTS.get(city.slug, str(kind)) if city.slug else None
    except cache.Busy:
        counts = None
    return counts or Counts(areas=[], prices={}, vouchers=0)


def forget(slug: str) -> None:
    """Have the next reader count a city again."""
    for kind in [keys.ALL_TYPES, *ShopType.objects.values_list("pk", flat=True)]:
        COUNTS.invalidate(slug, str(kind))


def build_groups(
    counts: Counts, chosen: Mapping[str, Sequence[str]], *, counted: bool
) -> dict[str, list[Choice]]:
    """The choices by parameter (area, price, voucher): those with shops and those that are chosen."""
    numbers = {
        "area": dict(counts["areas"]),
        "price": {band: counts["prices"].get(band, 0) for band in _bands()},
        "voucher": {"1": counts["vouchers"]},
    }
    return {
        name: [
            _build_choice(name, value, known.get(value), chosen.get(name, ()), counted=counted)
            for value in [*known, *_unlisted(known, chosen.get(name, ()))]
        ]
        for name, known in numbers.items()
    }


def _bands() -> list[str]:
    return [str(number) for number in range(1, len(filters.band_starts()) + 1)]


def _build_choice(
    name: str, value: str, number: int | None, chosen: Sequence[str], *, counted: bool
) -> Choice:
    label = findable_shops.label_facet(name, value)
    is_chosen = any(is_same(value, one) for one in chosen)
    return Choice(value, label, number if counted else None, is_chosen)


def is_same(value: str, other: str) -> bool:
    """Whether two values say the same: "Hubin" is "Hubin|湖滨"."""
    return value == other or not set(filters.fold_names(value)).isdisjoint(filters.fold_names(other))


def _unlisted(known: Iterable[str], chosen: Sequence[str]) -> list[str]:
    """Chosen values that no shop of the city has."""
    return [one for one in chosen if not any(is_same(value, one) for value in known)]
