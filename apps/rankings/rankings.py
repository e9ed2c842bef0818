"""Rankings per city and type: made from SQL every hour, kept by the week, and served from Redis.

make()                  the rows of this week, and of the last one if it has none
read(city)[type.pk]     -> [RankedShop(shop_id=7, rank=1, change=2, is_new=False), ...]
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from apps.queues import owed
from apps.rankings import keys, scores
from apps.rankings.models import Rank
from apps.redis_kit import cache
from apps.shops.geo import cities
from apps.shops.models import City, Shop, ShopQuerySet
from apps.uv import days
from apps.web import batches
from apps.web.problems import Problem

#: Shops of a type that a city's ranking holds.
MAX_RANKED_SHOPS = 50
#: Shops whose scores are read at a time.
BATCH_SIZE = 500
WEEK, RETENTION = timedelta(weeks=1), timedelta(weeks=53)


class RankedShop(NamedTuple):
    """A shop's place; `change` is the places it went up since the end of last week, below zero down."""

    shop_id: int
    rank: int
    change: int
    is_new: bool


def monday(day: date) -> date:
    """The first day of the day's week."""
    return day - timedelta(days=day.weekday())


def make() -> int:
    """Rank the shops of each open city and of all together as of today, and of last week if it has no rows.

    Deletes rows older than a year; returns the rows written.
    """
    today = days.today()
    last_sunday = monday(today) - days.ONE_DAY
    is_first = not Rank.objects.filter(week=monday(last_sunday)).exists()
    made = sum(
        write_week(city, day) for city in cities.choices() for day in ([last_sunday] * is_first + [today])
    )
    Rank.objects.filter(week__lt=monday(today) - RETENTION).delete()
    return made


def write_week(city: City, day: date) -> int:
    """Replace a city's rows of a week by its shops' places at the end of this day; returns how many."""
    week = monday(day)
    rows = [
        Rank(week=week, city=city.slug, type_id=type_id, shop_id=shop_id, rank=rank, score=score)
        for type_id, best in _rank_shops(city, day).items()
        for rank, (score, shop_id) in enumerate(best, start=1)
    ]
    with transaction.atomic():
        Rank.objects.filter(week=week, city=city.slug).delete()
        Rank.objects.bulk_create(rows, batch_size=BATCH_SIZE)
        owed.run_after_commit(forget_copy, city.slug)
    return len(rows)


def forget_copy(slug: str) -> bool:
    """Have the next reader load a city's rankings from SQL; False when Redis is away."""
    return CITIES.invalidate(slug)


def read(city: City) -> dict[int, list[RankedShop]]:
    """A city's newest rankings by the type's id, at most 50 shops each; Problem 503 busy in a crowd.

    One round trip; from SQL while Redis is away.
    """
    try:
        found = (CITIES.get(city.slug) if city.slug else None) or {}
    except cache.Busy as error:
        sentence = _("Many people are looking right now. Try again in a moment.")
        raise Problem(503, "busy", sentence, retry_after=error.retry_after) from error
    return {int(type_id): [RankedShop(*ranked) for ranked in ranking] for type_id, ranking in found.items()}


def _rank_shops(city: City, day: date) -> dict[int, list[tuple[float, int]]]:
    """The best (score, shop id) of each type's id, the highest score first, the older shop of equals."""
    found: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for shop_ids in batches.iter_pk_chunks(_shops_of(city), BATCH_SIZE):
        scored = scores.score_shops(shop_ids, day)
        types = Shop.objects.filter(pk__in=scored).values_list("pk", "type_id")
        for shop_id, type_id in types:
            found[type_id].append((scored[shop_id], shop_id))
    return {
        type_id: sorted(pairs, key=lambda pair: (-pair[0], pair[1]))[:MAX_RANKED_SHOPS]
        for type_id, pairs in found.items()
    }


def _shops_of(city: City) -> ShopQuerySet:
    """The shops within the city's bounds."""
    shops = Shop.objects.open_to_public()
    return shops if city.is_everywhere else shops.within(city.bounds)


Ranking = Sequence[tuple[int, int, int, bool]]


def _load_city(slug: str) -> dict[str, Ranking]:
    """The rows of the newest week compared with the week before, of listed shops."""
    rows = Rank.objects.filter(city=slug)
    week = rows.aggregate(newest=Max("week"))["newest"]
    if week is None:
        return {}
    last = {
        (type_id, shop_id): rank
        for type_id, shop_id, rank in rows.filter(week=week - WEEK).values_list("type_id", "shop_id", "rank")
    }
    newest = rows.filter(week=week, shop__is_listed=True).order_by("type_id", "rank")
    found: dict[str, list[tuple[int, int, int, bool]]] = defaultdict(list)
    for type_id, shop_id, rank in newest.values_list("type_id", "shop_id", "rank"):
        before = last.get((type_id, shop_id))
        is_new = before is None and bool(last)
        found[str(type_id)].append((shop_id, rank, (before or rank) - rank, is_new))
    return dict(found)


CITIES: cache.Cache[dict[str, Ranking]] = cache.Cache(
    keys.CITY, load=_load_city, fresh=timedelta(hours=1), ttl=timedelta(days=1)
)
