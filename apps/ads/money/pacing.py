"""Pacing: a campaign's money is spent over its day as its visitors come, not in the first hour.

Each minute a campaign gets a share of the day by now (`allowed`), from the hours of the past week, and a
pass-through rate: the part of the pages for which it competes. The rate falls while the campaign is ahead of
its plan and rises while it is behind.
Source: Agarwal et al., Budget pacing for targeted online advertisements at LinkedIn (2014).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import accumulate
from typing import cast

from django.utils import timezone

from apps.ads import keys
from apps.ads.learning.repricing import to_counts
from apps.ads.models import Campaign
from apps.redis_kit import client, transport
from apps.web.days import start_of_day

HOURS = 24
WHOLE_RATE = 10_000
MIN_RATE = 20
#: The rate's change a minute.
FASTER, SLOWER = 1.25, 0.8
#: The plan runs a few minutes ahead, so that a day's last clicks come before midnight.
AHEAD = timedelta(minutes=5)
LEARNED_DAYS = 7
#: Pages an hour of a usual day; they count as one day of LEARNED_DAYS.
USUAL_DAY = (6, 4, 3, 2, 2, 4, 9, 16, 24, 30, 36, 48, 52, 40, 34, 32, 36, 48, 60, 62, 54, 42, 28, 14)


@dataclass(frozen=True)
class DayPlan:
    """What a campaign is to spend between two moments of a day, in micros."""

    total_micros: int
    begins: datetime
    ends: datetime

    def planned(self, at: datetime, hours: Sequence[float]) -> int:
        """Micros that are to be spent by `at`, of a day whose hours have these shares."""
        day = self.begins.date()
        moments = (self.begins, min(max(at, self.begins), self.ends), self.ends)
        first, by_now, last = (_elapsed(day, moment, hours) for moment in moments)
        return round(self.total_micros * (by_now - first) / (last - first)) if last > first else 0


def plan_day(campaign: Campaign, spent_today: int, now: datetime) -> DayPlan | None:
    """A campaign's plan for the day of `now` (local); None for one that may spend as fast as it can."""
    midnight = start_of_day(now)
    last_moment = midnight + timedelta(days=1)
    shares = [campaign.daily_cap_micros] if campaign.daily_cap_micros else []
    if campaign.ends_at:
        ends_at = timezone.localtime(campaign.ends_at, now.tzinfo)
        days_left = max(1, (ends_at - timedelta(microseconds=1)).date().toordinal() - now.toordinal() + 1)
        left_at_midnight = campaign.budget_micros - campaign.charged_micros + spent_today
        shares.append(left_at_midnight // days_left)
        last_moment = min(last_moment, ends_at)
    begins = max(midnight, timezone.localtime(campaign.begins_at, now.tzinfo))
    return DayPlan(min(shares), begins, last_moment) if shares and begins < last_moment else None


def update(at: datetime | None = None) -> int:
    """Write the rates of all running campaigns into Redis; how many have a plan."""
    now = timezone.localtime(at)
    campaigns = list(Campaign.objects.running(now))
    if not campaigns:
        return 0
    hours, spent, rates = _read(now, campaigns)
    changed: dict[str, int] = {}
    unplanned: list[str] = []
    for campaign in campaigns:
        plan = plan_day(campaign, spent[campaign.pk], now)
        if plan is None:
            unplanned += [str(campaign.pk), f"{campaign.pk}:allowed"]
            continue
        changed[f"{campaign.pk}:allowed"] = plan.planned(now + AHEAD, hours)
        is_behind = spent[campaign.pk] < plan.planned(now, hours)
        changed[str(campaign.pk)] = next_rate(rates[campaign.pk], is_behind=is_behind)
    _write(changed, unplanned)
    return len(changed) // 2


def next_rate(rate: int, *, is_behind: bool) -> int:
    """The pass-through rate of the next minute, in ten-thousandths."""
    return max(MIN_RATE, min(WHOLE_RATE, round(rate * (FASTER if is_behind else SLOWER))))


def expected_hours(today: date) -> list[float]:
    """The share of each hour in an expected day, from the pages of the past week."""
    days = [keys.day_name(today - timedelta(days=back)) for back in range(1, LEARNED_DAYS + 1)]
    commands = [("HGETALL", keys.REQUESTS(day=day)) for day in days]
    return to_shares([to_counts(raw) for raw in transport.execute_many(client.get(), commands)])


def to_shares(days: Sequence[Mapping[str, int]]) -> list[float]:
    """Shares of the hours from each day's pages by hour; the usual day counts like one more day."""
    pages = [0.0] * HOURS
    for day in days:
        for hour, count in day.items():
            pages[int(hour)] += count
    days_seen = max(1, sum(map(bool, days)))
    scale = sum(pages) / sum(USUAL_DAY) / days_seen if any(pages) else 1.0
    mixed = [count + usual * scale for count, usual in zip(pages, USUAL_DAY, strict=True)]
    return [count / sum(mixed) for count in mixed]


def _read(
    now: datetime, campaigns: Sequence[Campaign]
) -> tuple[list[float], Mapping[int, int], Mapping[int, int]]:
    """Shares of the hours, and what each campaign spent today and its rate."""
    fields = [str(campaign.pk) for campaign in campaigns]
    day = keys.day_name(now.date())
    replies = transport.execute_many(
        client.get(), [("HMGET", keys.SPENT(day=day), *fields), ("HMGET", keys.RATES(), *fields)]
    )
    spent, rates = (
        {campaign.pk: int(allowance or missing) for campaign, allowance in zip(campaigns, reply, strict=True)}
        for reply, missing in zip(cast(list[list[str | None]], replies), (0, WHOLE_RATE), strict=True)
    )
    return expected_hours(now.date()), spent, rates


def _write(changed: Mapping[str, int], unplanned: Sequence[str]) -> None:
    commands: list[transport.Command] = []
    if changed:
        commands.append(("HSET", keys.RATES(), *(part for pair in changed.items() for part in pair)))
    if unplanned:
        commands.append(("HDEL", keys.RATES(), *unplanned))
    transport.execute_many(client.get(), commands)


def _elapsed(day: date, at: datetime, hours: Sequence[float]) -> float:
    """The share of the day before `at`; 1 from the midnight after it."""
    if at.date() > day:
        return 1.0
    whole = [0.0, *accumulate(hours)]
    seconds = at.minute * 60 + at.second + at.microsecond / 1e6
    return whole[at.hour] + hours[at.hour] * seconds / 3_600
