"""The admin's charts of a month, and visits by city: as the demo's visits, orders and ads have them."""

from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from random import Random

from django.utils import timezone

from apps.ads.models import Charge
from apps.coupons.models import VoucherOrder
from apps.demo import addresses
from apps.demo.ads.week import HOUR_WEIGHTS
from apps.logship.models import CityVisits
from apps.metrics import counters
from apps.metrics.samples import HITS
from apps.uv import days
from apps.uv.models import DailyVisits
from apps.uv.page_kinds import SITE_SCOPE
from apps.web import findable

DAYS = 30
#: Of 26 visits so many are from each city, the first from addresses that no table knows.
CITY_WEIGHTS: dict[int | None, int] = {None: 1} | dict(
    zip(addresses.CITIES, (13, 5, 2, 2, 1, 1, 1), strict=True)
)
#: Requests for a page view: the page, its personal part, and what its scripts ask.
REQUESTS_OF_VIEW = 3
#: The counter of each time of an order.
ORDER_TIMES = {
    "created_at": "orders.recorded",
    "paid_at": "orders.paid",
    "used_at": "orders.used",
    "cancelled_at": "orders.cancelled",
    "refunded_at": "orders.refunded",
}


def make(*, seed: int) -> int:
    """Make both from the rows of the demo's other data; return the visits, 0 when there are some already."""
    if CityVisits.objects.exists():
        return 0
    rows = DailyVisits.objects.filter(
        scope=SITE_SCOPE, object_id=0, day__in=days.ending_on(days.today(), DAYS)
    )
    views = dict(rows.values_list("day", "pv"))
    chance = Random(f"{seed}:activity")
    visits = [row for day, number in views.items() for row in _visits_of_day(day, number, chance)]
    CityVisits.objects.bulk_create(visits)
    counters.add_past({HITS: _requests(views)} | _orders() | {"ads.clicks": _clicks()})
    return sum(row.visits for row in visits)


def _visits_of_day(day: date, views: int, chance: Random) -> list[CityVisits]:
    drawn = Counter(chance.choices(list(CITY_WEIGHTS), list(CITY_WEIGHTS.values()), k=views))
    return [CityVisits(day=day, visits=number, **_place(city)) for city, number in drawn.items()]


def _place(city: int | None) -> dict[str, str]:
    if city is None:
        return {}
    country, english, chinese = addresses.CITIES[city]
    return {"city": findable.pair_value(english, chinese), "country": country}


def _requests(views: Mapping[date, int]) -> dict[int, int]:
    """Unix second of an hour's begin -> requests in it, up to now; the evening has most."""
    made = dict[int, int]()
    for day, number in views.items():
        midnight = timezone.make_aware(datetime.combine(day, time()))
        for hour, weight in enumerate(HOUR_WEIGHTS):
            begins = midnight + timedelta(hours=hour)
            if begins < timezone.now():
                made[int(begins.timestamp())] = REQUESTS_OF_VIEW * number * weight // sum(HOUR_WEIGHTS)
    return made


def _orders() -> dict[str, dict[int, int]]:
    """Counter -> unix second -> orders."""
    made: dict[str, Counter[int]] = {name: Counter() for name in ORDER_TIMES.values()}
    for times in VoucherOrder.objects.values_list(*ORDER_TIMES):
        for name, at in zip(ORDER_TIMES.values(), times, strict=True):
            if at:
                made[name][int(at.timestamp())] += 1
    return {name: dict(counted) for name, counted in made.items()}


def _clicks() -> dict[int, int]:
    times = Charge.objects.filter(kind="click").values_list("charged_at", flat=True)
    return dict(Counter(int(at.timestamp()) for at in times))
