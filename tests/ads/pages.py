"""Random ads and pages, and the winner as plain Python finds it."""

import json
import random
from collections.abc import Sequence
from typing import Any, cast

from apps.ads import keys
from apps.ads.learning.prices import Prices, Record
from apps.redis_kit import client

PLACES = ["everywhere", "city:shanghai", "area:shanghai/hongkou", "city:hangzhou", "area:hangzhou/hubin"]
WORDS = [f"word{number}" for number in range(60)]
CAMPAIGN_ADS = 10


def make_records(many: int, draw: random.Random) -> dict[int, Record]:
    """Ads by id with eCPM, bonuses and places as they are after a while, ten a campaign."""
    return {number: _make_record(number, draw) for number in range(1, many + 1)}


def _make_record(number: int, draw: random.Random) -> Record:
    ecpm = int(draw.lognormvariate(15, 0.8))
    words = {word: int(draw.uniform(-0.6, 0.6) * ecpm) for word in draw.sample(WORDS, draw.randrange(0, 7))}
    return Record(
        revision=1,
        campaign=1 + number // CAMPAIGN_ADS,
        pricing="cpc",
        price=1_000_000,
        basis=0,
        ecpm=ecpm,
        words=words,
        places=draw.sample(PLACES, draw.randrange(1, 3)),
    )


def load(records: dict[int, Record], *, left: int = 10**9) -> None:
    """Write ads and their campaigns into Redis without rows."""
    with client.get().pipeline(transaction=False) as pipe:
        for number, record in records.items():
            pipe.hset(keys.ADS(), str(number), record.dump())
            for place in record.places:
                pipe.zadd(keys.PLACE(place=place), {str(number): record.prices.ceiling})
            if number % 5_000 == 0:
                pipe.execute()
        for campaign in {record.campaign for record in records.values()}:
            pipe.hset(keys.CAMPAIGNS(), str(campaign), json.dumps(rules()))
            pipe.hset(keys.LEFT(), str(campaign), left)
            pipe.hset(keys.BUDGETS(), str(campaign), left)
        pipe.execute()


def rules(**others: Any) -> dict[str, Any]:
    """A campaign that runs for ever at a yuan a click."""
    valid: dict[str, Any] = {"revision": 1, "on": True, "pricing": "cpc", "cost": 1_000_000, "daily": 0}
    return valid | {"begins": 0, "ends": 10**11, "views_per_person": 1_000, "owners": {}} | others


def value(record: Record, words: Sequence[str]) -> int:
    """eCPM plus half of the smallest and the largest bonus among the page's words."""
    bonuses = [record.words[word] for word in words if word in record.words]
    return record.ecpm + ((min(bonuses) + max(bonuses)) // 2 if bonuses else 0)


def best_value(
    records: dict[int, Record], words: Sequence[str], places: Sequence[str], closed: frozenset[int]
) -> int | None:
    """The highest value among the ads of these places whose campaigns may run."""
    return max(
        (
            value(record, words)
            for record in records.values()
            if record.campaign not in closed and not set(places).isdisjoint(record.places)
        ),
        default=None,
    )


def prices_in_redis() -> dict[int, Prices]:
    """What Redis holds of each ad."""
    held = cast(dict[str, str], client.get().hgetall(keys.ADS()))
    return {int(ad_id): Record.parse(text).prices for ad_id, text in held.items()}
