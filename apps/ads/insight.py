"""What the admin shows of ads: learned bonuses, the pacing curve, and why an ad wins a page."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import cast

from django.db.models import Sum
from django.db.models.functions import ExtractHour
from django.utils import timezone

from apps.ads import keys, targeting
from apps.ads.learning import prices
from apps.ads.models import AdWord, Campaign, Charge
from apps.ads.money import pacing
from apps.redis_kit import client, transport


@dataclass(frozen=True)
class WordBonus:
    """A word of an ad: what followed its matches, and what it adds to the eCPM, in micros."""

    word: str
    views: int
    clicks: int
    actions: int
    bonus_micros: int


@dataclass(frozen=True)
class PacePoint:
    """Micros by the end of an hour of a day: as planned, and as charged so far."""

    hour_end: datetime
    planned_micros: int
    spent_micros: int


@dataclass(frozen=True)
class Candidate:
    """An ad that a page looks at: its value there, the words that match, and whether it may run now."""

    ad_id: int
    location: str
    ecpm: int
    words: tuple[str, ...]
    value: int
    is_open: bool


@dataclass(frozen=True)
class LiveState:
    """A campaign as Redis has it: micros left, micros spent today, and its pass-through rate (0 to 1)."""

    left_micros: int
    spent_today_micros: int
    rate: float


def word_bonuses(ad_id: int) -> list[WordBonus]:
    """The words of an ad with what they have learned, the largest bonus first; bonus 0 without Redis."""
    record = read_record(ad_id)
    bonuses = record.words if record else {}
    words = [
        WordBonus(word.word, word.views, word.clicks, word.actions, bonuses.get(word.word, 0))
        for word in AdWord.objects.filter(ad=ad_id)
    ]
    return sorted(words, key=lambda word: (-word.bonus_micros, word.word))


def read_record(ad_id: int) -> prices.Record | None:
    """An ad as Redis has it; None without a record, and while Redis is away."""
    try:
        return prices.parse_record(client.get().hget(keys.ADS(), str(ad_id)))
    except client.UNAVAILABLE:
        return None


def pacing_curve(campaign: Campaign, day: date) -> list[PacePoint]:
    """Planned and charged micros at the end of each hour of a day; planned is 0 without a plan.

    Raises client.UNAVAILABLE without Redis, which knows the expected day.
    """
    midnight = timezone.make_aware(datetime.combine(day, time()))
    spent = _spent_by_hour(campaign, day)
    last = midnight + timedelta(hours=pacing.HOURS) - timedelta(microseconds=1)
    plan = pacing.plan_day(campaign, sum(spent), min(max(timezone.localtime(), midnight), last))
    hours = pacing.expected_hours(day)
    points = []
    for hour in range(pacing.HOURS):
        ends = midnight + timedelta(hours=hour + 1)
        planned = plan.planned(min(ends, last), hours) if plan else 0
        points.append(PacePoint(ends, planned, sum(spent[: hour + 1])))
    return points


def why_here(words: Iterable[str], locations: Sequence[str], *, limit: int = 24) -> list[Candidate]:
    """The ads with the highest ceilings of a page's places by their value on it, the best first.

    Raises client.UNAVAILABLE without Redis. Hidden ads and views of a person don't count here.
    """
    page_words = targeting.normalize_words(words)
    found: dict[int, Candidate] = {}
    commands = [("ZREVRANGE", keys.PLACE(place=location), 0, limit - 1) for location in locations]
    for location, ids in zip(locations, transport.execute_many(client.get(), commands), strict=True):
        for candidate in _read_candidates([int(ad_id) for ad_id in ids], location, page_words):
            found.setdefault(candidate.ad_id, candidate)
    return sorted(found.values(), key=lambda one: (-one.value, one.ad_id))[:limit]


def live_state(campaign_id: int) -> LiveState | None:
    """A campaign as Redis has it, or None when it isn't loaded or Redis is away."""
    field, day = str(campaign_id), keys.day_name(timezone.localdate())
    places = (keys.LEFT(), keys.SPENT(day=day), keys.RATES())
    try:
        left, spent, rate = transport.execute_many(client.get(), [("HGET", key, field) for key in places])
    except client.UNAVAILABLE:
        return None
    if left is None:
        return None
    return LiveState(int(left), int(spent or 0), int(rate or pacing.WHOLE_RATE) / pacing.WHOLE_RATE)


def cut_choices_today() -> int:
    """How many of today's pages got the best of the dearest 2,000 ads only, the rest not looked at.

    0 while Redis is away.
    """
    try:
        return int(client.get().hget(keys.DAY(day=keys.day_name(timezone.localdate())), "cut") or 0)
    except client.UNAVAILABLE:
        return 0


def _spent_by_hour(campaign: Campaign, day: date) -> list[int]:
    charges = Charge.objects.filter(campaign=campaign, is_billed=True, charged_at__date=day)
    sums = dict(charges.annotate(hour=ExtractHour("charged_at")).values_list("hour").annotate(Sum("micros")))
    return [sums.get(hour, 0) for hour in range(pacing.HOURS)]


def _read_candidates(ad_ids: Sequence[int], location: str, words: Sequence[str]) -> Iterator[Candidate]:
    if not ad_ids:
        return
    texts = cast(list[str | None], client.get().hmget(keys.ADS(), [str(ad_id) for ad_id in ad_ids]))
    stored = [
        (ad_id, record)
        for ad_id, text in zip(ad_ids, texts, strict=True)
        if (record := prices.parse_record(text))
    ]
    running = set(
        Campaign.objects.running(timezone.now())
        .filter(pk__in={record.campaign for _, record in stored})
        .values_list("pk", flat=True)
    )
    for ad_id, record in stored:
        matched = tuple(word for word in words if word in record.words)
        is_open = record.campaign in running
        yield Candidate(ad_id, location, record.ecpm, matched, record.value(words), is_open)
