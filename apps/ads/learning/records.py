"""The record of an ad in Redis, which choosing reads and pricing rewrites."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from apps.ads import keys
from apps.ads.learning.prices import Prices


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
        """What the ad is worth on a page of these words, as choose_ad.lua computes it."""
        bonuses = [self.words[word] for word in words if word in self.words]
        return self.ecpm + ((min(bonuses) + max(bonuses)) // 2 if bonuses else 0)

    @property
    def prices(self) -> Prices:
        return Prices(self.ecpm, dict(self.words))

    @property
    def place_keys(self) -> list[str]:
        return [keys.PLACE(place=place) for place in self.places]


def parse_or_none(stored: Any) -> Record | None:
    """The record of a reply of HGET."""
    return Record.parse(stored) if isinstance(stored, str) and stored else None
