"""The advertisers of the demo, their ads and audiences, and how many react."""

from dataclasses import dataclass
from typing import Any

from apps.demo import texts
from apps.demo.texts import TextPair

HANGZHOU, SHANGHAI = "Hangzhou", "Shanghai"
EVERYWHERE = ("", "")


@dataclass(frozen=True)
class AdPlan:
    """One ad for the `rank`-th most popular shop of a type in a city.

    `views` is a usual day's number, `rate` how many of 100 views end in a click; `words` has the factor of
    the rate on pages with the word.
    """

    title: TextPair
    text: TextPair
    kind: str
    city: str
    rank: int
    places: tuple[tuple[str, str], ...]
    words: dict[str, float]
    views: int
    rate: float


@dataclass(frozen=True)
class CampaignPlan:
    """Prices and budgets in yuan; `since_days` ago it began, `lasts_days` later it ends."""

    name: str
    pricing: str
    price: str
    budget: str
    daily_cap: str
    ads: tuple[AdPlan, ...]
    since_days: int = 7
    lasts_days: int = 30
    is_on: bool = True


@dataclass(frozen=True)
class AdvertiserPlan:
    name: TextPair
    campaigns: tuple[CampaignPlan, ...]


def _read_campaign(row: dict[str, Any]) -> CampaignPlan:
    return CampaignPlan(**row | {"ads": tuple(_read_ad(one) for one in row["ads"])})


def _read_ad(row: dict[str, Any]) -> AdPlan:
    pairs = {name: texts.pair(row[name]) for name in ("title", "text")}
    return AdPlan(**row | pairs | {"places": texts.pairs(row["places"])})


ADVERTISERS = tuple(
    AdvertiserPlan(texts.pair(row["name"]), tuple(_read_campaign(one) for one in row["campaigns"]))
    for row in texts.read("ads")["advertisers"]
)
