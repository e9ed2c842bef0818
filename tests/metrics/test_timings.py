"""Statistics from buckets, against the exact ones."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.metrics.timings import Histogram

#: From a hundredth of a millisecond to a minute, as durations spread: by ratio.
DURATIONS = st.lists(
    st.floats(math.log(1e-5), math.log(60)).map(lambda power: round(math.exp(power), 9)),
    min_size=1,
    max_size=2_000,
)
#: As buckets have them: whole microseconds.
WHOLE_MICROSECONDS = DURATIONS.map(lambda some: [round(one, 6) for one in some])
SHARES = (0.5, 0.9, 0.95, 0.99, 0.999)


@given(WHOLE_MICROSECONDS)
def test_percentiles_are_within_five_percent_of_the_exact_ones(durations: list[float]) -> None:
    histogram, ordered = Histogram.of_seconds(durations), sorted(durations)
    for share in SHARES:
        exact = ordered[max(1, math.ceil(share * len(ordered))) - 1]
        assert histogram.percentile(share) == pytest.approx(exact, rel=0.05)


@given(DURATIONS)
def test_mean_and_deviation_are_those_of_the_durations(durations: list[float]) -> None:
    histogram = Histogram.of_seconds(durations)
    assert histogram.mean == pytest.approx(statistics.fmean(durations), rel=1e-6)
    assert (histogram.smallest, histogram.largest) == (
        round(min(durations) * 1e6),
        round(max(durations) * 1e6),
    )
    if len(durations) > 1:
        exact = statistics.stdev(durations)
        assert histogram.deviation == pytest.approx(exact, rel=1e-3, abs=1e-9)


@given(DURATIONS, DURATIONS)
def test_merged_histograms_are_that_of_all_durations(some: list[float], others: list[float]) -> None:
    merged, whole = Histogram.of_seconds(some), Histogram.of_seconds(some + others)
    merged.merge(Histogram.of_seconds(others))
    assert (merged.count, merged.total, merged.buckets) == (whole.count, whole.total, whole.buckets)
    assert (merged.smallest, merged.largest) == (whole.smallest, whole.largest)
    assert merged.squares == whole.squares


def test_without_durations_everything_is_zero() -> None:
    empty = Histogram()
    assert (empty.mean, empty.deviation, empty.percentile(0.99)) == (0, 0, 0)
