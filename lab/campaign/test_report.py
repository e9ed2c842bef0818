"""The report of a campaign counts what its saved rounds say."""

from collections import Counter
from pathlib import Path

import pytest

from lab.campaign import parts, report
from lab.campaign.rounds import Injected, RoundResult


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SAVED", tmp_path)


def one_round(**counts: int) -> RoundResult:
    faults = [Injected("kill web", 1.0, 2.0, 0.5), Injected("kill web", 3.0, 4.0)]
    return RoundResult(faults, Counter(counts), Counter({"claim 201": 7}), [], 30.0)


def test_a_saved_round_is_the_same_again() -> None:
    parts.save(one_round(accepted=7), 3)
    parts.save(one_round(accepted=8), 3)
    assert parts.read_saved(3) == [one_round(accepted=7), one_round(accepted=8)]


def test_the_tables_say_what_happened() -> None:
    text = report.describe([3], [one_round(accepted=7, lost=1), one_round(accepted=8)], jobs=1)
    assert "4 faults in 2 sales" in text
    assert "15 claims were accepted" in text
    assert "| lost (no row, though the site says so) | 1 |" in text
    assert "| kill web | 4 | 2 | 0.50 s | 0.50 s | 0.50 s |" in text


def test_percentiles_are_times_that_were_seen() -> None:
    times = [float(each) for each in range(1, 101)]
    assert [report.percentile(times, share) for share in (0.5, 0.95, 1.0)] == [50.0, 95.0, 100.0]
