"""What lists of shops are narrowed by: areas, bands of prices, open now, has a voucher."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import reduce
from operator import or_
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from apps.shops import money, shop_hours
from apps.web import findable

#: What the column of prices can hold.
MAX_PRICE = 2_147_483_647

#: From (inclusive) and to (exclusive), in minor units.
PriceRange = tuple[int, int]


@dataclass(frozen=True)
class Filters:
    """Any of the areas (folded names, in either language), any of the price ranges, the other two if set."""

    areas: tuple[str, ...] = ()
    prices: tuple[PriceRange, ...] = ()
    open_now: bool = False
    voucher: bool = False

    def to_redis(self) -> dict[str, Any]:
        """The filters at this moment as gather_near.lua reads them; {} without any."""
        now, wanted = timezone.localtime(), dict[str, Any]()
        if self.areas:
            wanted["areas"] = dict.fromkeys(self.areas, True)
        if self.prices:
            wanted["prices"] = ",".join(f"{start}-{end}" for start, end in self.prices)
        if self.open_now:
            wanted["moments"] = shop_hours.moments_for_redis(now)
        if self.voucher:
            wanted["now"] = int(now.timestamp())
        return wanted

    def to_sql(self) -> Q:
        """The filters at this moment as a condition on shops."""
        now, wanted = timezone.localtime(), Q()
        if self.areas:
            wanted &= _any(map(_in_area, self.areas))
        if self.prices:
            wanted &= _any(Q(price__gte=start, price__lt=end) for start, end in self.prices)
        if self.open_now:
            wanted &= shop_hours.open_condition(now)
        if self.voucher:
            # Whole seconds, as in Redis.
            wanted &= Q(vouchers_until__gte=now.replace(microsecond=0) + timedelta(seconds=1))
        return wanted


def band_starts() -> tuple[int, ...]:
    """The prices per person, in minor units, from which bands begin: 0, and those of settings.PRICE_BANDS."""
    return (0, *(money.to_minor(Decimal(start), settings.CURRENCY) for start in settings.PRICE_BANDS))


def price_band(price: int) -> str:
    """The band of a price per person: "1" is the cheapest."""
    return str(sum(price >= start for start in band_starts()))


def band_range(band: str) -> PriceRange | None:
    """The prices of a band; None for one that isn't there."""
    bands = {str(number): start for number, start in enumerate(band_starts(), start=1)}
    if band not in bands:
        return None
    return bands[band], bands.get(str(int(band) + 1), MAX_PRICE)


def fold_area(english: str, chinese: str) -> str:
    """An area's names as the index in Redis holds them: "west_lake|西湖"."""
    return findable.pair_value(english, chinese).casefold().replace(":", "_")


def fold_names(value: str) -> list[str]:
    """The folded names in a facet's value ("West_Lake|西湖"), or of a name as people write it."""
    english, chinese = findable.split_pair(value)
    return [name for name in fold_area(english, chinese).split("|") if name]


def _in_area(folded: str) -> Q:
    name = folded.replace("_", " ")
    return Q(area_en__iexact=name) | Q(area_zh__iexact=name)


def _any(conditions: Iterable[Q]) -> Q:
    return reduce(or_, conditions)
