"""Thresholds: what they say, what is nonsense in them, and how a run is judged."""

import pytest

from lab.load import thresholds
from lab.load.result import Part, Result
from tests.crowd.site_setup import Verdict
from tests.crowd.tally import Tally


def judge(text: str, tally: Tally, verdict: Verdict | None = None) -> Result:
    people, nobody = Part("once", 10.0, tally), Part("bots", 0, Tally())
    return Result(
        tally, 10.0, 0.1, 0.5, 9_000, verdict or Verdict(), [people], nobody, {}, [],
        thresholds=thresholds.parse(text),
    )  # fmt: skip


def tally_of(**seconds_by_code: float) -> Tally:
    tally = Tally()
    for code, seconds in seconds_by_code.items():
        tally.add(code.removeprefix("_").replace("_", " ", 1), seconds)
    return tally


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("p98=300ms", "'p98=300ms' is no threshold: p99=300ms,errors=0,oversold=0; names are p50, p95"),
        ("p99", "is no threshold"),
        ("=5", "is no threshold"),
        ("p99=", "p99 takes a time such as 300ms or 1.5s"),
        ("p99=300", "p99 takes a time such as 300ms or 1.5s"),
        ("p99=-1ms", "p99 takes a time"),
        ("p99=nanms", "p99 takes a time"),
        ("p99=1e9ms", "p99 takes a time"),
        ("p99=99999999999999999999ms", "p99 takes a time"),
        ("p99=٣ms", "p99 takes a time"),
        ("p99=3\x00ms", "p99 takes a time"),
        ("errors=0ms", "errors takes a whole number"),
        ("errors=0.5", "errors takes a whole number"),
        ("errors=none", "errors takes a whole number"),
        ("p99=1s,p99=2s", "p99 is given twice"),
        ("错误=0", "is no threshold"),
    ],
)
def test_nonsense_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as refused:
        thresholds.parse(text)
    assert "\n" not in str(refused.value)


def test_spaces_and_units_are_as_people_write_them() -> None:
    found = {each.name: each.most for each in thresholds.parse(" p99 = 1.5s, max=20ms ,errors=3,")}
    assert found == {"p99": 1_500, "max": 20, "errors": 3}
    assert thresholds.parse("") == []


def test_a_run_is_good_while_each_is_kept() -> None:
    tally = tally_of(_201=0.1, _409_sold_out=0.1, _429_too_many_requests=0.1, _503_busy=0.1)
    kept = judge("p99=150ms,max=1s,errors=0,oversold=0,lost=0", tally)
    assert [each["met"] for each in kept.judged] == [True] * 5
    assert kept.is_good
    missed = judge("p99=50ms", tally)
    assert not missed.is_good
    assert thresholds.describe(missed.judged[0]).endswith("at most 50 ms: missed")


def test_errors_are_other_answers_and_people_without_one() -> None:
    tally = tally_of(_500=0.1, _404_not_found=0.1, _201=0.1, _303=0.1, _200=0.1)
    tally.gave_up = 2
    result = judge("errors=3", tally)
    assert result.errors == 4
    assert not result.is_good


def test_a_broken_promise_is_bad_whatever_the_thresholds_say() -> None:
    sold = Verdict(broken=["oversold: 3 orders of 2 units"], oversold=1)
    result = judge("oversold=5", tally_of(_201=0.1), sold)
    assert [each["got"] for each in result.judged] == [1]
    assert not result.is_good
