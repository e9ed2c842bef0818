"""Finds what Redis shows and no row knows: ads without a row, and places that an ad has left."""

from collections.abc import Iterator
from typing import cast

from apps.ads import keys
from apps.ads.learning import records
from apps.ads.models import Ad
from apps.redis_kit import client, transport
from apps.web.batches import chunked

BATCH_ADS = 500
#: An ad and the key of the place that shows it.
Shown = tuple[str, str]


def find_unknown_ads() -> list[str]:
    """Ids in the hash of ads that are no row's."""
    stored_ids = cast(list[str], client.get().hkeys(keys.ADS()))
    unknown: list[str] = []
    for some in chunked(stored_ids, BATCH_ADS):
        numbers = [int(one) for one in some if one.isascii() and one.isdigit()]
        known = set(map(str, Ad.objects.filter(pk__in=numbers).values_list("pk", flat=True)))
        unknown += [one for one in some if one not in known]
    return unknown


def remove_ads(ad_ids: list[str]) -> None:
    """Take ads out of the hash; their places have strangers from then on."""
    if ad_ids:
        transport.execute(client.get(), ("HDEL", keys.ADS(), *ad_ids))


def find_misplaced() -> set[Shown]:
    """Ads in places that their records don't name."""
    texts = cast(dict[str, str], client.get().hgetall(keys.ADS()))
    wanted = {
        (ad_id, place)
        for ad_id, text in texts.items()
        for place in (records.Record.parse(text).place_keys if text else ())
    }
    return {place for place in _iter_shown() if place not in wanted}


def remove_misplaced(places: set[Shown]) -> None:
    """Take ads out of these places."""
    transport.execute_many(client.get(), [("ZREM", place, ad_id) for ad_id, place in sorted(places)])


def _iter_shown() -> Iterator[Shown]:
    redis = client.get()
    for place in redis.scan_iter(match=keys.PLACE.scan_pattern, count=1_000):
        for ad_id, _ceiling in redis.zscan_iter(place):
            yield str(ad_id), str(place)
