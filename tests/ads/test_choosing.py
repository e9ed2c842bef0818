"""The ad that one Redis call chooses has the highest value that plain Python finds among all ads."""

import random
from dataclasses import replace

import pytest

from apps.ads import insight, keys, serving
from apps.ads.money.pacing import WHOLE_RATE
from apps.ads.viewer import Viewer
from apps.redis_kit import client
from tests.ads import pages

VIEWER = Viewer("alices-browser")


@pytest.mark.parametrize("seed", range(6))
def test_the_winner_equals_a_plain_maximum(seed: int) -> None:
    draw = random.Random(seed)
    records = pages.make_records(draw.choice([1, 20, 400]), draw)
    pages.load(records)
    campaigns = sorted({record.campaign for record in records.values()})
    closed = frozenset(draw.sample(campaigns, len(campaigns) // 3))
    for campaign in closed:
        client.get().hset(keys.LEFT(), str(campaign), 999_999)
    for _ in range(60):
        words = draw.sample(pages.WORDS, draw.randrange(0, 12))
        places = draw.sample(pages.PLACES, draw.randrange(1, 4))
        served = serving.choose("shop", words, places, VIEWER)
        assert (served and served.value) == pages.best_value(records, words, places, closed)
        if served:
            record = records[served.ad_id]
            assert served.value == pages.value(record, words)
            assert served.location in record.places
            assert served.words == tuple(word for word in words if word in record.words)


def test_a_campaign_ahead_of_its_plan_leaves_the_page_to_the_next() -> None:
    draw = random.Random(7)
    records = pages.make_records(200, draw)
    pages.load(records)
    best = serving.choose("shop", [], pages.PLACES, VIEWER)
    assert best
    campaign = records[best.ad_id].campaign
    client.get().hset(keys.RATES(), f"{campaign}:allowed", 0)
    served = serving.choose("shop", [], pages.PLACES, VIEWER)
    assert served
    assert served.value == pages.best_value(records, [], pages.PLACES, frozenset({campaign}))


def test_a_campaign_takes_part_as_often_as_its_rate_says() -> None:
    draw = random.Random(8)
    records = pages.make_records(9, draw)
    pages.load(records)
    (campaign,) = {record.campaign for record in records.values()}
    client.get().hset(keys.RATES(), str(campaign), WHOLE_RATE // 4)
    served = [serving.choose("shop", [], pages.PLACES, VIEWER) for _ in range(1_000)]
    # 250 expected with a deviation of 14: nine deviations each way.
    assert 125 <= sum(one is not None for one in served) <= 375


@pytest.mark.one_server("its commands are counted")
def test_a_page_looks_at_few_ads() -> None:
    """Of 3,000 ads the walk reads as many as can still win."""
    draw = random.Random(9)
    pages.load(pages.make_records(3_000, draw))
    read = 0
    for _ in range(50):
        client.get().config_resetstat()
        serving.choose("shop", draw.sample(pages.WORDS, 6), pages.PLACES[:3], VIEWER)
        stats = client.get().info("commandstats")
        read = max(read, stats["cmdstat_hget"]["calls"])
    assert read <= 60


@pytest.mark.parametrize(("out_of_turn", "wins"), [(1_999, True), (2_000, False)])
def test_the_walk_ends_after_2000_ads_and_says_so(out_of_turn: int, wins: bool) -> None:
    """The ad behind 2,000 that may not run isn't looked at: the page shows none, and staff see how often."""
    record = pages.make_records(1, random.Random(10))[1]
    closed = replace(record, campaign=7, ecpm=9_000_000, words={}, places=["everywhere"])
    last = replace(closed, campaign=8, ecpm=1_000_000)
    pages.load(dict.fromkeys(range(1, out_of_turn + 1), closed) | {9_999: last})
    client.get().hset(keys.LEFT(), "7", 0)
    served = serving.choose("shop", [], ["everywhere"], VIEWER)
    assert (served and served.ad_id) == (9_999 if wins else None)
    assert insight.cut_choices_today() == (0 if wins else 1)
