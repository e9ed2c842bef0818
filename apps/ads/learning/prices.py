"""What an ad is worth on a page: eCPM and word bonuses, kept in its record in Redis.

Two ways, by settings.ADS_PLAIN_PRICES. The plain formulas: 1000 x price x clicks / views once there are
clicks, and a word's bonus is its own eCPM less the ad's. In service they are smoothed: an ad starts as
PRIOR_VIEWS views at its pricing's average rate, a word as PRIOR_WORD_VIEWS views at its ad's, an ad's rate is
drawn from what its counts leave possible (Thompson sampling), and a bonus stays within the ad's eCPM.
Sources: Redis in Action, chapter 7.3; Chapelle and Li, An empirical evaluation of Thompson sampling (2011).
"""

import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, Self

from apps.ads import keys

MILLE = 1_000
#: Numbers of Redis's scores are exact up to 2^53.
MAX_ECPM = 10**15
#: The average rate a thousand views before there are any counts, by pricing.
FIRST_RATE_PER_MILLE = {"cpc": 10.0, "cpa": 1.0}
#: Views at that rate with which a pricing's average starts.
PRIOR_TYPE_VIEWS = 1_000
PRIOR_VIEWS = 200
PRIOR_WORD_VIEWS = 200


class Tally(NamedTuple):
    """Views, and the clicks (CPA: actions) that followed."""

    views: int = 0
    events: int = 0


@dataclass(frozen=True)
class Prices:
    """Of an ad, in micros: eCPM, and the bonus of each of its words."""

    ecpm: int
    bonuses: dict[str, int]

    @property
    def ceiling(self) -> int:
        """No page can value the ad higher: half of the smallest and largest bonus is at most the largest."""
        return self.ecpm + max(0, *self.bonuses.values(), 0)


def plain_ecpm(price_micros: int, tally: Tally) -> int:
    """1000 x price x events / views: 0.25 a click, 100 views and a click are an eCPM of 2.5."""
    return min(MILLE * price_micros * tally.events // max(tally.views, 1), MAX_ECPM)


def plain_average(tally: Tally) -> float:
    """Events a thousand views of a pricing; 1 before there are any."""
    return MILLE * tally.events / tally.views if tally.events and tally.views else 1.0


def price_plainly(
    price_micros: int, tally: Tally, words: Mapping[str, Tally], pricing_tally: Tally
) -> Prices:
    """Prices by the plain formulas; an ad without events is worth its pricing's average, a word nothing."""
    if tally.events:
        ecpm = plain_ecpm(price_micros, tally)
    else:
        ecpm = min(int(price_micros * plain_average(pricing_tally)), MAX_ECPM)
    bonuses = {
        word: plain_ecpm(price_micros, counted) - ecpm if counted.events else 0
        for word, counted in words.items()
    }
    return Prices(ecpm, bonuses)


def average_rate(pricing: str, tally: Tally) -> float:
    """Events a view of a pricing, smoothed."""
    first = FIRST_RATE_PER_MILLE[pricing] / MILLE
    return (tally.events + PRIOR_TYPE_VIEWS * first) / (tally.views + PRIOR_TYPE_VIEWS)


def price_smoothly(
    price_micros: int,
    tally: Tally,
    words: Mapping[str, Tally],
    prior_rate: float,
    draw: random.Random,
    exploring: float = 1.0,
) -> Prices:
    """Prices in service; `draw` chooses the ad's rate from the likely ones after its counts.

    A share `exploring` of the prices is drawn; the others have the mean rate.
    """
    events = min(tally.events, tally.views)
    likely = PRIOR_VIEWS * prior_rate + events
    unlikely = PRIOR_VIEWS * (1 - prior_rate) + tally.views - events
    mean = likely / (likely + unlikely)
    explores = exploring >= 1.0 or draw.random() < exploring
    ecpm = _to_micros(price_micros, draw.betavariate(likely, unlikely) if explores else mean)
    bonuses = {}
    for word, counted in words.items():
        rate = (counted.events + PRIOR_WORD_VIEWS * mean) / (counted.views + PRIOR_WORD_VIEWS)
        bonuses[word] = max(-ecpm, min(ecpm, _to_micros(price_micros, rate - mean)))
    return Prices(ecpm, bonuses)


def _to_micros(price_micros: int, rate: float) -> int:
    return max(-MAX_ECPM, min(MAX_ECPM, round(MILLE * price_micros * rate)))


@dataclass(frozen=True)
class Record:
    """An ad as choose_ad.lua knows it: eCPM and bonuses in micros; `basis` counts what it was priced by.

    `places` are those that show it now: none while it or its campaign is stopped.
    """

    revision: int
    campaign: int
    pricing: str
    price: int
    basis: int
    ecpm: int
    words: Mapping[str, int]
    places: list[str]

    @classmethod
    def parse(cls, text: str) -> Self:
        return cls(**json.loads(text))

    def dump(self) -> str:
        """The record as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    def priced(self, prices: Prices, *, basis: int) -> "Record":
        """The record with new prices."""
        return replace(self, ecpm=prices.ecpm, words=prices.bonuses, basis=basis)

    def value(self, words: Iterable[str]) -> int:
        """What the ad is worth on a page with the words, as choose_ad.lua computes it."""
        bonuses = [self.words[word] for word in words if word in self.words]
        return self.ecpm + ((min(bonuses) + max(bonuses)) // 2 if bonuses else 0)

    @property
    def prices(self) -> Prices:
        return Prices(self.ecpm, dict(self.words))

    @property
    def place_keys(self) -> list[str]:
        return [keys.PLACE(place=place) for place in self.places]


def parse_record(stored: Any) -> Record | None:
    """The record of a reply of HGET."""
    return Record.parse(stored) if isinstance(stored, str) and stored else None
