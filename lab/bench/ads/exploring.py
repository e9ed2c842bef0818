"""Exploration: new ads whose click rates nobody knows, and their share of the best possible revenue."""

import random
from typing import NamedTuple

from django.conf import settings

from apps.ads import serving
from apps.ads.learning import repricing
from apps.ads.models import MICROS, Campaign
from apps.ads.viewer import Viewer
from apps.redis_kit import client
from lab.bench import reports
from tests.ads import makers

ADS, VIEWS, RUNS = 100, 40_000, 2
#: The minute's job comes once in so many pages.
PAGES_A_MINUTE = 200
MIN_SHARE = 0.80


class Truth(NamedTuple):
    """What nobody knows of an ad: its click rate; and its price in micros."""

    rate: float
    price: int


def measure(*, fast: bool) -> str:
    """The share of the best possible revenue, in service and by the plain formulas, over the same ads."""
    runs, views = (1, VIEWS // 10) if fast else (RUNS, VIEWS)
    in_service = [_run(seed, views, plainly=False) for seed in range(runs)]
    plainly = [_run(seed, views, plainly=True) for seed in range(runs)]
    rows = [
        ("in service", *_summary(in_service)),
        ("plain formulas (the book)", *_summary(plainly)),
    ]
    return (
        f"{ADS} new CPC ads, {views:,} pages, {runs} runs: expected revenue as a share of "
        f"what always showing the best ad would bring. Bar: {MIN_SHARE:.2f}.\n\n"
        + reports.markdown_table(("prices", "mean", "worst run"), rows)
    )


def _summary(shares: list[float]) -> tuple[str, str]:
    return f"{sum(shares) / len(shares):.2f}", f"{min(shares):.2f}"


def _run(seed: int, views: int, *, plainly: bool) -> float:
    client.get().flushall()
    Campaign.objects.update(is_on=False)
    settings.ADS_PLAIN_PRICES = plainly
    draw = random.Random(seed)
    truths = _make_ads(draw)
    best = max(truth.rate * truth.price for truth in truths.values())
    revenue = 0.0
    for number in range(views):
        if number % PAGES_A_MINUTE == 0 and not plainly:
            repricing.reprice_some(draw=draw)
        revenue += _visit(draw, truths)
    settings.ADS_PLAIN_PRICES = False
    return revenue / (views * best)


def _make_ads(draw: random.Random) -> dict[int, Truth]:
    truths = {}
    for _ in range(ADS):
        truth = Truth(draw.betavariate(1.5, 80), int(draw.uniform(0.2, 1) * MICROS))
        campaign = makers.campaign(price_micros=truth.price, budget_micros=10**12, views_per_person=1_000)
        truths[makers.ad(campaign).pk] = truth
    return truths


def _visit(draw: random.Random, truths: dict[int, Truth]) -> float:
    """The expected revenue of a page, whose viewer clicks as often as the ad's rate says."""
    viewer = Viewer(f"viewer-{draw.randrange(10**6)}")
    served = serving.choose("shop", [], makers.ANYWHERE, viewer)
    assert served
    truth = truths[served.ad_id]
    serving.record_view(served.ticket, viewer)
    if draw.random() < truth.rate:
        makers.move_back(served, "seen", milliseconds=600)
        serving.record_click(served.ticket, viewer)
    return truth.rate * truth.price
