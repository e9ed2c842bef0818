"""Counts of answers: percentiles of a histogram, and sums of processes."""

import pytest

from tests.crowd.tally import Tally


def test_percentiles_are_right_within_a_bucket() -> None:
    tally = Tally()
    for milliseconds in range(1, 1_001):
        tally.add("201", milliseconds / 1_000)
    for share in (0.5, 0.95, 0.99):
        assert tally.percentile(share) == pytest.approx(share, rel=0.02)
    assert Tally().percentile(0.5) == 0


def test_sums_of_two_processes_add_up() -> None:
    one, other = Tally(lost=1), Tally(gave_up=2)
    for tally, order in ((one, "1"), (other, "2")):
        tally.add("201", 0.01)
        tally.promise(0, order)
    one += other
    assert (one.answers, one.lost, one.gave_up, one.promised) == (2, 1, 2, {0: {"1", "2"}})
