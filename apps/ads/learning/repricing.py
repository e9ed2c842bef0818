"""Prices ads again from their counts: at clicks (CPA: actions), each hundredth view, in turn; saves counts.

The counts go from Redis to SQL by day, altogether and by word. They only rise.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, cast

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.ads import keys
from apps.ads.learning.prices import Prices, Tally, average_rate, parse_record, price_plainly, price_smoothly
from apps.ads.live_settings import ADS
from apps.ads.models import Ad, AdWord, DailyCount
from apps.redis_kit import client, scripts, transport
from apps.web import batches

PRICE = scripts.Script("price_ad", package="apps.ads.learning", reply=bool)
#: Ads drawn anew in one turn: an ad that a low draw keeps from pages would otherwise keep that draw.
DRAWN_ADS = 200
#: What a pricing's rate counts; CPM has none, its price is its eCPM.
PAID_EVENTS = {"cpc": "clicks", "cpa": "actions"}

_draw = random.Random()

MAX_BATCH_ADS = 200
EVENTS = ("views", "clicks", "actions")
TOTALS = (*EVENTS, "invalid")
#: Columns of DailyCount by their names in Redis.
DAY_COLUMNS = {"served": "served", **{name: name for name in TOTALS}, "spent": "spent_micros"}


def reprice(ad_id: int, *, draw: random.Random = _draw) -> Prices | None:
    """Price an ad by its counts in Redis; None if it is not in Redis or changed during the pricing."""
    connected = client.get()
    stored, counts, types = transport.execute_many(
        connected,
        [
            ("HGET", keys.ADS(), str(ad_id)),
            ("HGETALL", keys.COUNTS(ad=ad_id)),
            ("HGETALL", keys.TYPES()),
        ],
    )
    record = parse_record(stored)
    if record is None or not record.places:
        return None
    counted = to_counts(counts)
    prices = compute(record.pricing, record.price, record.words, counted, to_counts(types), draw=draw)
    priced = record.priced(prices, basis=basis(counted))
    args: list[scripts.Arg] = [ad_id, priced.dump(), prices.ceiling]
    return prices if PRICE(connected, keys=[keys.ADS(), *priced.place_keys], args=args) else None


def reprice_some(many: int = DRAWN_ADS, *, draw: random.Random = _draw) -> int:
    """Price some ads anew, chosen at random; how many."""
    chosen = cast(list[str], client.get().hrandfield(keys.ADS(), many) or [])
    return sum(reprice(int(ad_id), draw=draw) is not None for ad_id in chosen)


def compute(
    pricing: str,
    price_micros: int,
    words: Iterable[str],
    counts: Mapping[str, int],
    types: Mapping[str, int],
    *,
    draw: random.Random = _draw,
) -> Prices:
    """Prices of an ad from its counts ("views", "views:word", "clicks" …) and those of all pricings."""
    event = PAID_EVENTS.get(pricing)
    if event is None:
        return Prices(price_micros, dict.fromkeys(words, 0))
    tally = Tally(counts.get("views", 0), counts.get(event, 0))
    by_word = {
        word: Tally(counts.get(f"views:{word}", 0), counts.get(f"{event}:{word}", 0)) for word in words
    }
    of_type = Tally(types.get(f"{pricing}:views", 0), types.get(f"{pricing}:{event}", 0))
    if settings.ADS_PLAIN_PRICES:
        return price_plainly(price_micros, tally, by_word, of_type)
    exploring = ADS.current().exploring_percent / 100
    return price_smoothly(price_micros, tally, by_word, average_rate(pricing, of_type), draw, exploring)


def basis(counts: Mapping[str, int]) -> int:
    """How much an ad's prices are made of: it only rises."""
    return sum(counts.get(name, 0) for name in ("views", "clicks", "actions"))


def to_counts(raw: Any) -> dict[str, int]:
    """The numbers of a hash, from a dict or from a flat reply."""
    pairs = raw.items() if isinstance(raw, dict) else zip(raw[::2], raw[1::2], strict=True)
    return {str(name): int(number) for name, number in pairs}


def save_counts() -> int:
    """Save the counts of the ads that changed since the last time; how many ads."""
    connected = client.get()
    with connected.pipeline(transaction=True) as pipe:
        # Ads of a run that was cut off are still among those being saved.
        # By its name: redis-py's pipeline of a cluster has no method for a command of several keys.
        pipe.execute_command("SUNIONSTORE", keys.SAVING(), keys.SAVING(), keys.CHANGED())
        pipe.delete(keys.CHANGED())
        pipe.execute()
    ad_ids = sorted(int(ad_id) for ad_id in cast(set[str], connected.smembers(keys.SAVING())))
    for chunk in batches.chunked(ad_ids, MAX_BATCH_ADS):
        save_counts_of(chunk)
        connected.srem(keys.SAVING(), *map(str, chunk))
    return len(ad_ids)


def save_counts_of(ad_ids: Sequence[int], today: date | None = None) -> None:
    """Save what Redis counted of the ads: altogether, and for today and yesterday."""
    today = today or timezone.localdate()
    days = [today - timedelta(days=1), today]
    totals = read_totals(ad_ids)
    with transaction.atomic():
        ads = list(Ad.objects.select_for_update().filter(pk__in=ad_ids).prefetch_related("words"))
        for ad in ads:
            for name in TOTALS:
                setattr(ad, name, max(getattr(ad, name), totals[ad.pk].get(name, 0)))
        Ad.objects.bulk_update(ads, TOTALS)
        AdWord.objects.bulk_update([word for ad in ads for word in _count_words(ad, totals[ad.pk])], EVENTS)
        for day in days:
            _save_day(day, [ad.pk for ad in ads])


def read_totals(ad_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """What Redis counted of each ad since it began."""
    replies = transport.execute_many(client.get(), [("HGETALL", keys.COUNTS(ad=ad_id)) for ad_id in ad_ids])
    return {ad_id: to_counts(raw) for ad_id, raw in zip(ad_ids, replies, strict=True)}


def _count_words(ad: Ad, counts: Mapping[str, int]) -> Iterator[AdWord]:
    for word in ad.words.all():
        for name in EVENTS:
            setattr(word, name, max(getattr(word, name), counts.get(f"{name}:{word.word}", 0)))
        yield word


def _save_day(day: date, ad_ids: Sequence[int]) -> None:
    fields = [f"{ad_id}:{name}" for ad_id in ad_ids for name in DAY_COLUMNS]
    stored = client.get().hmget(keys.DAY(day=keys.day_name(day)), fields) if fields else []
    rows = []
    width = len(DAY_COLUMNS)
    for number, ad_id in enumerate(ad_ids):
        counts = [
            int(cast(str | None, count) or 0) for count in stored[number * width : (number + 1) * width]
        ]
        if any(counts):
            columns = dict(zip(DAY_COLUMNS.values(), counts, strict=True))
            rows.append(DailyCount(ad_id=ad_id, day=day, **columns))
    DailyCount.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["ad", "day"],
        update_fields=list(DAY_COLUMNS.values()),
    )
