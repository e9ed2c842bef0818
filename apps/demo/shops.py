"""Makes demo shops, each from the seed and its number alone, so an interrupted run can be completed."""

from collections import Counter
from collections.abc import Callable
from random import Random

from django.core.management.color import no_style
from django.db import connection

from apps.demo import places
from apps.demo.places import Area
from apps.demo.shop_kinds import CYCLE, FLAVOURS, KINDS, ShopKind
from apps.demo.social import own_photos
from apps.demo.texts import TextPair
from apps.shops import changes, hours, hours_text, starter_types
from apps.shops.geo import cities
from apps.shops.models import City, Shop, ShopType
from apps.web import batches
from apps.web.in_language import columns

#: Step between pairs of words; coprime to the number of pairs, so every pair is used before one repeats.
STRIDE = 1_009


def _build_name(kind: ShopKind, city: places.City, *, turn: int, area: TextPair) -> TextPair:
    """Return the names of the `turn`-th shop of a type, such as "Lakeside Noodle House" and "湖畔面馆"."""
    (word, word_zh), (core, core_zh) = _choose_words(kind, city, turn)
    # When every pair has been used, a shop is a branch, and its name includes its quarter.
    if turn < len(city.flavours + FLAVOURS) * len(kind.cores):
        return f"{word} {core}", f"{word_zh}{core_zh}"
    return f"{word} {core} ({area[0]})", f"{word_zh}{core_zh}（{area[1]}店）"


def _choose_words(kind: ShopKind, city: places.City, turn: int) -> tuple[TextPair, TextPair]:
    """The two words of the `turn`-th shop's name: where or whose it is, and what it is."""
    flavours = city.flavours + FLAVOURS
    index = turn * STRIDE % (len(flavours) * len(kind.cores))
    return flavours[index % len(flavours)], kind.cores[index // len(flavours)]


#: What is open while the city sleeps, and types whose shops rest on Mondays.
NIGHT_CORES = {
    "Noodle House": "24 hours",
    "Congee Shop": "17:00–06:00",
    "Grill": "17:00–05:00",
    "Spa": "12:00–06:00",
    "Bath House": "24 hours",
}
RESTING_KINDS = frozenset({"hair", "kids", "spa", "food"})
BATCH_SHOPS = 2_000
#: The first ones of a batch choose among the photographs; a million shops need not look for free ones.
SHOPS_WITH_PICTURES = 1_000
#: Shop number after which shops scatter wider around their quarters.
SPREAD_AFTER_SHOPS = 1_000
#: For each place in CYCLE: type slug -> number of earlier places of that type.
TURNS_BEFORE = [Counter(kind.slug for kind in CYCLE[:place]) for place in range(len(CYCLE))]


def make_types() -> dict[str, ShopType]:
    """Make the missing shop types in SQL; return all ten by slug."""
    starter_types.make_missing()
    return {made.slug: made for made in ShopType.objects.filter(slug__in=[kind.slug for kind in KINDS])}


def make_cities() -> None:
    """Make the missing cities in SQL."""
    known = set(City.objects.values_list("slug", flat=True))
    for position, place in enumerate(places.CITIES, start=1):
        if place.slug not in known:
            city = City(slug=place.slug, position=position, lat=place.lat, lng=place.lng)
            city.name_en, city.name_zh = place.name
            city.set_bounds_around(cities.DEFAULT_RADIUS_M)
            changes.save_city(city)


def make(count: int, *, seed: int, step: Callable[[int], object]) -> int:
    """Make the missing ones of shops 1 to `count`; return their number; call `step` with each batch size."""
    make_cities()
    types, made = make_types(), 0
    for numbers in batches.chunked(range(1, count + 1), BATCH_SHOPS):
        there = set(Shop.objects.filter(pk__range=(numbers[0], numbers[-1])).values_list("pk", flat=True))
        new = [build_shop(number, types, seed=seed) for number in numbers if number not in there]
        own_photos.give_pictures(new[:SHOPS_WITH_PICTURES])
        changes.import_many(new)
        made += len(new)
        step(len(numbers))
    if made:
        _reset_id_sequence()
    return made


def build_shop(number: int, types: dict[str, ShopType], *, seed: int) -> Shop:
    """Return the unsaved shop of a number (from 1); the same seed and number give the same shop."""
    chance = Random(seed * 1_000_003 + number)
    round_, place = divmod(number - 1, len(CYCLE))
    kind = CYCLE[place]
    # Successive shops of a type alternate between the cities.
    turn = round_ * kind.share + TURNS_BEFORE[place][kind.slug]
    city = places.CITIES[turn % len(places.CITIES)]
    area = chance.choice(city.areas)
    lat, lng = places.random_point(city, area, chance, wider=max(1.0, (number / SPREAD_AFTER_SHOPS) ** 0.3))
    core = _choose_words(kind, city, turn)[1][0]
    texts = {
        "name": _build_name(kind, city, turn=turn, area=area.name),
        "about": chance.choice(kind.abouts_of(core)),
        "city": city.name,
        "area": area.name,
        "address": _build_address(city, area, chance),
    }
    return Shop(
        pk=number,
        type=types[kind.slug],
        **{
            column: text
            for name, pair in texts.items()
            for column, text in zip(columns(name), pair, strict=True)
        },
        phone=f"{city.dialling}-{chance.randint(5000, 8999)} {chance.randint(0, 9999):04}",
        schedule=_choose_hours(kind, core, number, usual=chance.choice(kind.hours)),
        lat=lat,
        lng=lng,
        **_prices_and_ratings(kind, chance),
    )


def _choose_hours(kind: ShopKind, core: str, number: int, *, usual: str) -> str:
    """The schedule of a shop: some are there all night, and some rest on Mondays."""
    words = usual
    if core in NIGHT_CORES and number % 2:
        words = NIGHT_CORES[core]
    elif kind.slug in RESTING_KINDS and number % 4 == 0:
        words = f"{usual}, closed on Mondays"
    schedule = hours_text.read(words)
    assert schedule, words
    return hours.dump(schedule)


def _build_address(city: places.City, area: Area, chance: Random) -> TextPair:
    number, (street, street_zh) = chance.randint(1, 480), chance.choice(area.streets)
    (quarter, quarter_zh), (town, town_zh) = area.name, city.name
    # A quarter that is called after the street isn't named twice.
    where = f"{quarter}, {town}" if quarter != street else town
    where_zh = f"{town_zh}市{quarter_zh}" if quarter_zh != street_zh else f"{town_zh}市"
    return f"{number} {street}, {where}", f"{where_zh}{street_zh}{number}号"


def _prices_and_ratings(kind: ShopKind, chance: Random) -> dict[str, int]:
    low, high = kind.price
    visits = int(chance.paretovariate(1.1) * 18) % 4_000
    # Most prices are near the low end, and all end in 8 yuan.
    price = (int(low + (high - low) * chance.random() ** 2) // 10 * 10 + 8) * 100
    rating = min(50, max(31, round(chance.gauss(44, 3.5))))
    return {
        "price": price,
        "rating": rating,
        "imported_rating": rating,
        "popularity": visits * chance.randint(6, 14) + chance.randint(0, 300),
    }


def _reset_id_sequence() -> None:
    """Set the id sequence past the shops: PostgreSQL ignores ids that were given with the rows."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Shop]):
            cursor.execute(statement)
