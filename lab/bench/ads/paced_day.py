"""A simulated day: campaigns with a cap each share a day's pages; the clock is passed in, nobody sleeps."""

import random
from datetime import UTC, datetime, timedelta
from typing import cast

from django.utils import timezone

from apps.ads import keys, serving
from apps.ads.models import MICROS, Campaign
from apps.ads.money import pacing
from apps.ads.viewer import Viewer
from apps.redis_kit import client
from lab.bench import reports
from tests.ads import makers

PAGES = 40_000
CLICK_RATE = 0.1
#: Each hour comes so much stronger or weaker than expected.
NOISE = 0.15
MAX_OFF, MIN_SPENT = 0.05, 0.97


def measure(*, fast: bool) -> str:
    """How far the campaigns were off their plans at the full hours, and what they spent, with and without."""
    rows = []
    for name, is_paced in (("paced", True), ("not paced", False)):
        client.get().flushall()
        Campaign.objects.update(is_on=False)
        pages = PAGES // 10 if fast else PAGES
        campaigns = _make_campaigns(pages)
        off, spent = _run_day(campaigns, pages, is_paced=is_paced)
        rows.append((name, f"{off:.1%}", f"{min(spent):.1%}", f"{sum(spent) / len(spent):.1%}"))
    head = ("", "furthest from the plan at an hour", "least spent of a day's cap", "spent on average")
    return (
        f"A day of {pages:,} pages for 8 campaigns with a cap a day, CPM and CPC; "
        f"each hour {NOISE:.0%} stronger or weaker than usual. Bars: {MAX_OFF:.0%} and {MIN_SPENT:.0%}.\n\n"
        + reports.markdown_table(head, rows)
    )


def _make_campaigns(pages: int) -> list[Campaign]:
    """Half pay for views, half for clicks; together they want less than half of the pages."""
    made = []
    for number in range(8):
        cpm = number % 2 == 0
        campaign = makers.campaign(
            name=f"Paced {number}",
            pricing="cpm" if cpm else "cpc",
            price_micros=(20 + number) * MICROS if cpm else MICROS // 4 + number * 5_000,
            budget_micros=10_000 * MICROS,
            daily_cap_micros=pages * (800 + 80 * number),
            begins_at=datetime(2026, 1, 1, tzinfo=UTC),
            views_per_person=1_000,
        )
        makers.ad(campaign)
        made.append(campaign)
    return made


def _run_day(campaigns: list[Campaign], many: int, *, is_paced: bool) -> tuple[float, list[float]]:
    draw = random.Random(5)
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    # Days a fortnight away don't teach each other's hours.
    day_key = keys.SPENT(day=keys.day_name(midnight.date()))
    off = 0.0
    expected = pacing.to_shares([])
    for hour, share in enumerate(expected):
        pages = round(many * share * draw.uniform(1 - NOISE, 1 + NOISE))
        for minute in range(60):
            at = midnight + timedelta(hours=hour, minutes=minute)
            if is_paced:
                pacing.update(at)
            for _ in range(pages * (minute + 1) // 60 - pages * minute // 60):
                _visit(at, draw)
        spent = _spent(day_key, campaigns)
        ends = midnight + timedelta(hours=hour + 1)
        for campaign, micros in zip(campaigns, spent, strict=True):
            plan = pacing.plan_day(campaign, 0, midnight)
            assert plan
            off = max(off, abs(micros - plan.planned(ends, expected)) / plan.total_micros)
    caps = [campaign.daily_cap_micros for campaign in campaigns]
    return off, [micros / cap for micros, cap in zip(_spent(day_key, campaigns), caps, strict=True)]


def _visit(at: datetime, draw: random.Random) -> None:
    viewer = Viewer(f"viewer-{draw.randrange(10_000)}")
    served = serving.choose("shop", [], makers.ANYWHERE, viewer, at=at)
    if served is None:
        return
    serving.record_view(served.ticket, viewer, at=at)
    if draw.random() < CLICK_RATE:
        makers.move_back(served, "seen", milliseconds=600)
        serving.record_click(served.ticket, viewer, at=at)


def _spent(day_key: str, campaigns: list[Campaign]) -> list[int]:
    held = client.get().hmget(day_key, [str(campaign.pk) for campaign in campaigns])
    return [int(cast(str | None, micros) or 0) for micros in held]
