"""Rankings per city and type: made from SQL every hour, kept by the week, and served from Redis.

make()                  the rows of this week, and of the last one if it has none
read(city)[type.pk]     -> [RankedShop(shop_id=7, rank=1, change=2, is_new=False), ...]
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Aggregate, Count, Max, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.blog.models import Note
from apps.coupons.models import VoucherOrder
from apps.queues import owed
from apps.rankings import keys
from apps.rankings.models import Rank
from apps.redis_kit import cache
from apps.saves.models import Save
from apps.shops.geo import cities
from apps.shops.models import City, Shop, ShopQuerySet
from apps.uv import days
from apps.uv.models import DailyVisits
from apps.web import batches
from apps.web.problems import Problem

#: Shops of a type that a city's ranking holds.
MAX_RANKED_SHOPS = 50
#: Shops whose scores are read at a time.
BATCH_SIZE = 500
WEEK, RETENTION = timedelta(weeks=1), timedelta(weeks=53)

Ranking = Sequence[tuple[int, int, int, bool]]
HALF_LIFE_DAYS = 7
#: Older events would weigh at most 1/256.
COUNTED_DAYS = 8 * HALF_LIFE_DAYS
#: Stars that a note without any counts for.
NEUTRAL_STARS = 3
#: Rows of (shop id, day, number), and what reads them for these shops.
DailyNumbers = QuerySet[Any, tuple[int, date, int]]


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
        scored = score_shops(shop_ids, day)
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


class Period(NamedTuple):
    """The days that count, both included."""

    first: date
    last: date

    @property
    def moments(self) -> tuple[datetime, datetime]:
        """From the first day's midnight to the one after the last, in the site's time zone."""
        zone = timezone.get_default_timezone()
        start, end = (datetime.combine(day, time(), zone) for day in (self.first, self.last + timedelta(1)))
        return start, end


ReadNumbers = Callable[[Sequence[int], Period], DailyNumbers]


def decay(day: date, last: date) -> float:
    """What something of a day weighs on the last one: 1 on the same day, 1/2 a week before."""
    return float(2.0 ** ((day - last).days / HALF_LIFE_DAYS))


def score_shops(shop_ids: Sequence[int], day: date) -> dict[int, float]:
    """Scores of the shops in which something happened, as of the end of a day; a query for each kind."""
    period = Period(day - timedelta(COUNTED_DAYS - 1), day)
    scores: dict[int, float] = defaultdict(float)
    for points, read in POINTS:
        for shop_id, when, number in read(shop_ids, period):
            scores[shop_id] += points * number * decay(when, day)
    return dict(scores)


def _count_visitors(shop_ids: Sequence[int], period: Period) -> DailyNumbers:
    """Visitors of the shops' pages: a person who opens one again and again counts once a day."""
    rows = DailyVisits.objects.filter(scope="shop", object_id__in=shop_ids, day__range=period)
    return rows.values_list("object_id", "day", "uv")


def _count_saves(shop_ids: Sequence[int], period: Period) -> DailyNumbers:
    start, end = period.moments
    rows = Save.objects.filter(
        user__is_made_for_load=False, shop__in=shop_ids, created_at__gte=start, created_at__lt=end
    )
    return _by_day(rows, "shop_id", "created_at", Count("pk"))


def _sum_stars(shop_ids: Sequence[int], period: Period) -> DailyNumbers:
    """Stars of published notes."""
    start, end = period.moments
    rows = Note.objects.published().filter(
        author__is_made_for_load=False,
        shop__in=shop_ids,
        published_at__gte=start,
        published_at__lt=end,
    )
    return _by_day(rows, "shop_id", "published_at", Sum(Coalesce("rating", NEUTRAL_STARS)))


def _count_orders(shop_ids: Sequence[int], period: Period) -> DailyNumbers:
    """Recorded orders that were neither cancelled nor refunded."""
    start, end = period.moments
    rows = (
        VoucherOrder.objects.active()
        .counted()
        .filter(voucher__shop__in=shop_ids, created_at__gte=start, created_at__lt=end)
    )
    return _by_day(rows, "voucher__shop_id", "created_at", Count("pk"))


def _by_day(rows: QuerySet[Any], shop: str, moment: str, number: Aggregate) -> DailyNumbers:
    """A number for each shop and day, in the site's time zone."""
    day = TruncDate(moment, tzinfo=timezone.get_default_timezone())
    grouped = rows.order_by().annotate(day=day).values(shop, "day")
    numbers: DailyNumbers = grouped.annotate(number=number).values_list(shop, "day", "number")
    return numbers


#: Points on the day itself, and what they are for: a visitor 1, a save 5, a star of a note 2, an order 8.
POINTS: tuple[tuple[int, ReadNumbers], ...] = (
    (1, _count_visitors),
    (5, _count_saves),
    (2, _sum_stars),
    (8, _count_orders),
)
