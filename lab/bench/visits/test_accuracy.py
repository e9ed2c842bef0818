"""The measurement of unique visitors: its estimates, its memory, and its command line."""

import pytest

from apps.redis_kit import client
from lab.bench.visits import accuracy


def test_the_error_stays_within_three_standard_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert accuracy.main([], {"VISITORS": "100000"}) == 0
    said = capsys.readouterr().out
    assert "0.81%" in said
    assert [line.split()[0] for line in said.splitlines()[2:]] == ["1,000", "10,000", "100,000"]


def test_it_takes_12_kilobytes_however_many_and_leaves_nothing() -> None:
    last = list(accuracy.measure(client.get(), 50_000, seed=1))[-1]
    assert last.bytes < 16_500
    assert last.set_bytes > 50 * last.bytes
    assert client.get().dbsize() == 0


def test_a_count_that_is_far_off_ends_in_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    off = accuracy.Measurement(truth=1_000_000, estimate=1_025_000, bytes=1, set_bytes=1, seconds=1.0)
    near = accuracy.Measurement(truth=1_000_000, estimate=1_024_000, bytes=1, set_bytes=1, seconds=1.0)
    assert (off.is_right, near.is_right) == (False, True)
    monkeypatch.setattr(accuracy, "MAX_ERROR", 0.0)
    assert accuracy.main(["--visitors", "1500"], {}) == 1
    assert "off by more than" in capsys.readouterr().err


@pytest.mark.parametrize("visitors", ["0", "999", "-5", "99999999999"])
def test_a_number_that_makes_no_sense_is_refused(visitors: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        accuracy.main([f"--visitors={visitors}"], {})
    assert "1,000 to 1,000,000,000" in capsys.readouterr().err
