"""A week of views, clicks and orders for one of the demo's ads, as they could have happened."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from random import Random

from django.utils import timezone

from apps.demo.ads.plans import AdPlan

DAYS = 7
#: How many of 24 parts of a day's views come in each hour; the evening has most.
HOUR_WEIGHTS = (4, 2, 1, 1, 1, 2, 4, 8, 12, 13, 14, 20, 22, 16, 13, 13, 15, 20, 28, 32, 30, 24, 16, 9)
#: Of 100 pages with an ad it is seen on so many; of 100 clicks so many end in an order.
SEEN_PERCENT, ORDER_PERCENT = 71, 9
#: Of 100 clicks so many are robots', staff's or too fast, and free.
INVALID_PERCENT = 6


@dataclass
class DayOfAd:
    """The counts of a day, by event and by "event:word", and when each event happened."""

    day: date
    counts: Counter[str] = field(default_factory=Counter)
    events: list[tuple[datetime, str]] = field(default_factory=list)

    def add(self, event: str, when: datetime, word: str) -> None:
        """Count an event for the ad and for the word that matched, if one did."""
        self.counts[event] += 1
        self.events.append((when, event))
        if word:
            self.counts[f"{event}:{word}"] += 1


def simulate(plan: AdPlan, *, until: datetime, seed: str) -> Iterator[DayOfAd]:
    """The days of a week that ends at a moment, the oldest first; a number gives the same week each time."""
    chance, today = Random(seed), timezone.localdate(until)
    for back in reversed(range(DAYS)):
        yield _simulate_day(plan, today - timedelta(days=back), until, chance)


def _simulate_day(plan: AdPlan, day: date, until: datetime, chance: Random) -> DayOfAd:
    made, total = DayOfAd(day), sum(HOUR_WEIGHTS)
    many = plan.views * chance.uniform(0.85, 1.15) * (1.25 if day.weekday() >= 5 else 1.0)
    midnight = timezone.make_aware(datetime(day.year, day.month, day.day))
    for hour, weight in enumerate(HOUR_WEIGHTS):
        for _view in range(round(many * weight / total)):
            when = midnight + timedelta(hours=hour, seconds=chance.uniform(0, 3_599))
            if when < until:
                _add_view(made, plan, when, chance)
    made.counts["served"] = made.counts["view"] * 100 // SEEN_PERCENT
    made.events.sort()
    return made


def _add_view(made: DayOfAd, plan: AdPlan, when: datetime, chance: Random) -> None:
    """One view of a page with one of the words or none, and what came of it."""
    word = chance.choice([*plan.words, "", ""])
    made.add("view", when, word)
    if chance.uniform(0, 100) >= plan.rate * plan.words.get(word, 1.0):
        return
    if chance.uniform(0, 100) < INVALID_PERCENT:
        made.counts["invalid"] += 1
        return
    made.add("click", when, word)
    if chance.uniform(0, 100) < ORDER_PERCENT:
        made.add("action", when, word)
