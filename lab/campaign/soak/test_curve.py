"""A soak's verdict: growth of a process counts, what Redis stores does not."""

from random import Random

from lab.campaign.resources import Usage
from lab.campaign.soak import curve
from lab.campaign.soak.bad_visitors import build_requests
from lab.campaign.soak.curve import Sample


def sampled(*web: int, redis: int = 30) -> list[Sample]:
    """A sample a minute, with these megabytes of the web process."""
    usages = [Usage({"web": held, "redis": redis + at}, {"web": 90}) for at, held in enumerate(web)]
    return [Sample(at, usage, 100 * at, 10 * at, 0, 0, 0) for at, usage in enumerate(usages)]


def test_memory_that_stays_level_after_ten_minutes_has_not_grown() -> None:
    assert list(curve.find_growth(sampled(*range(100, 200, 10), *[200] * 110))) == []


def test_memory_that_grows_past_a_twentieth_is_found() -> None:
    assert list(curve.find_growth(sampled(*[200] * 60, *[211] * 61))) == [
        "the memory of web has grown by 5.5%"
    ]


def test_a_child_that_draws_a_picture_for_a_moment_is_no_growth() -> None:
    assert list(curve.find_growth(sampled(*[200] * 119, 300, 200))) == []


def test_each_kind_of_bad_visitor_sends_its_own() -> None:
    sent = build_requests(8000, 7, "token", Random(1))
    assert len(set(sent.values())) == len(sent)
