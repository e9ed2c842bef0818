"""The index of ads: each ad's record, and its ceiling in every place where it may appear now."""

from collections.abc import Sequence
from enum import IntEnum

from django.db.models import QuerySet

from apps.ads import keys, targeting
from apps.ads.learning import repricing
from apps.ads.learning.prices import Prices, Record, parse_record
from apps.ads.models import Ad
from apps.redis_kit import client, scripts, transport

#: An ad that is priced between reading and writing is read again.
MAX_TRIES = 20


class Put(IntEnum):
    """What `put_ad.lua` did."""

    OLDER = 0
    WRITTEN = 1
    CHANGED = 2


PUT = scripts.Script("put_ad", package="apps.ads", reply=Put)


class TooBusy(Exception):
    """An ad was priced again and again while it was to be written; the next reconciliation writes it."""


def put(ad: Ad) -> Put:
    """Write an ad as its row and its campaign say; WRITTEN, or OLDER when Redis knows a newer edit."""
    for _ in range(MAX_TRIES):
        (answer,) = _try_to_put([ad])
        if answer is not Put.CHANGED:
            return answer
    raise TooBusy(f"ad {ad.pk}")


def put_many(ads: Sequence[Ad]) -> int:
    """Write ads in two round trips, then one by one those that changed between the two; returns how many."""
    for ad, answer in zip(ads, _try_to_put(ads), strict=True):
        if answer is Put.CHANGED:
            put(ad)
    return len(ads)


def with_targets(ads: "QuerySet[Ad]") -> "QuerySet[Ad]":
    """Ads with all that `put` reads."""
    return ads.select_related("campaign").prefetch_related("locations", "words")


def put_campaign_ads(campaign_id: int) -> int:
    """Write every ad of a campaign; how many."""
    return put_many(list(with_targets(Ad.objects.filter(campaign=campaign_id))))


def places_now(ad: Ad) -> list[str]:
    """The places that show the ad: none while it or its campaign is off, over or has spent its budget."""
    if not ad.is_on or not ad.campaign.is_unfinished:
        return []
    return sorted({location.key for location in ad.locations.all()})


def expected_record(ad: Ad, stored: Record | None, counts: dict[str, int], types: dict[str, int]) -> Record:
    """The record that Redis must hold; prices of the same edit stay as they are."""
    words = [word.word for word in ad.words.all()]
    campaign = ad.campaign
    is_same = stored and (stored.revision, stored.pricing) == (ad.revision, campaign.pricing)
    if stored and is_same and stored.price == campaign.price_micros:
        prices = Prices(stored.ecpm, {word: stored.words.get(word, 0) for word in words})
    else:
        prices = repricing.compute(campaign.pricing, campaign.price_micros, words, counts, types)
    return Record(
        revision=ad.revision,
        campaign=campaign.pk,
        pricing=campaign.pricing,
        price=campaign.price_micros,
        basis=repricing.basis(counts),
        ecpm=prices.ecpm,
        words=prices.bonuses,
        places=places_now(ad),
    )


def _try_to_put(ads: Sequence[Ad]) -> list[Put]:
    connected = client.get()
    commands: list[transport.Command] = [("HGETALL", keys.TYPES())]
    for ad in ads:
        commands += [("HGET", keys.ADS(), str(ad.pk)), ("HGETALL", keys.COUNTS(ad=ad.pk))]
    raw_types, *replies = transport.execute_many(connected, commands)
    types = repricing.to_counts(raw_types)
    calls = [
        _put_call(ad, text, repricing.to_counts(counts), types)
        for ad, text, counts in zip(ads, replies[::2], replies[1::2], strict=True)
    ]
    return PUT.call_many(connected, calls)[0]


def _put_call(ad: Ad, text: str | None, counts: dict[str, int], types: dict[str, int]) -> scripts.Call:
    stored = parse_record(text)
    record = expected_record(ad, stored, counts, types)
    left = [place for place in (stored.places if stored else []) if place not in record.places]
    # The script wants a place: leaving one where the ad isn't changes nothing.
    places = [keys.PLACE(place=place) for place in [*record.places, *left] or [targeting.EVERYWHERE]]
    return [keys.ADS(), *places], [
        *(ad.pk, record.revision, text or "", record.dump(), record.prices.ceiling, len(record.places))
    ]
