"""Pricing an ad again from its counts: at each click (CPA: action), on every hundredth view, and in turn."""

import random
from collections.abc import Iterable, Mapping
from typing import Any, cast

from django.conf import settings

from apps.ads import keys
from apps.ads.learning import records
from apps.ads.learning.prices import Prices, Tally, average_rate, price_plainly, price_smoothly
from apps.ads.live_settings import ADS
from apps.redis_kit import client, scripts, transport

PRICE = scripts.Script("price_ad", package="apps.ads.learning", reply=bool)
#: Ads drawn anew in one turn: an ad that a low draw keeps from pages would otherwise keep that draw.
DRAWN_ADS = 200
#: What a pricing's rate counts; CPM has none, its price is its eCPM.
PAID_EVENTS = {"cpc": "clicks", "cpa": "actions"}

_draw = random.Random()


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
    record = records.parse_or_none(stored)
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
