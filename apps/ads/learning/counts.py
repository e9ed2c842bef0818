"""Counts of ads go from Redis to SQL: by day, altogether and by word. They only rise."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import cast

from django.db import transaction
from django.utils import timezone

from apps.ads import keys
from apps.ads.learning.repricing import to_counts
from apps.ads.models import Ad, AdWord, DailyCount
from apps.redis_kit import client, transport
from apps.web import batches

MAX_BATCH_ADS = 200
EVENTS = ("views", "clicks", "actions")
TOTALS = (*EVENTS, "invalid")
#: Columns of DailyCount by their names in Redis.
DAY_COLUMNS = {"served": "served", **{name: name for name in TOTALS}, "spent": "spent_micros"}


def save() -> int:
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
        save_ads(chunk)
        connected.srem(keys.SAVING(), *map(str, chunk))
    return len(ad_ids)


def save_ads(ad_ids: Sequence[int], today: date | None = None) -> None:
    """Save what Redis counted of these ads: altogether, and for today and yesterday."""
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
