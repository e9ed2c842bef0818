"""The measurement of persistence settings, on real servers that are killed."""

import json
from pathlib import Path

import pytest

from apps.monitoring import persistence
from apps.monitoring.persistence import MODES
from apps.redis_kit import client
from lab.bench.persistence import command, measuring

#: Long enough for claims of all callers, on a crowded machine too.
SECONDS = "0.5"


def test_a_file_loses_nothing_to_kill_9_and_memory_everything(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A slow disk: each key takes 10 ms to write, so the snapshot is not there as soon as it is asked for.
    slow_disk = measuring.OPTIONS["rdb"] | {"rdb-key-save-delay": "10000"}
    monkeypatch.setitem(measuring.OPTIONS, "rdb", slow_disk)
    assert command.main([], {"SECONDS": SECONDS, "JSON": "1"}) == 0
    found = {row["mode"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(found) == list(measuring.OPTIONS) == list(MODES)
    assert all(row["accepted"] > 0 and row["p99_ms"] > 0 for row in found.values())
    assert [found[mode]["lost"] for mode in ("no", "everysec", "always")] == [0, 0, 0]
    assert found["none"]["lost"] == found["none"]["accepted"]
    assert 0 < found["rdb"]["lost"] < found["rdb"]["accepted"]
    # The page shows it, and claims go to the site's server again.
    report = persistence.read_measurements()
    assert report
    assert report.by_mode["always"].accepted == found["always"]["accepted"]
    assert client.get().dbsize() == 1


def test_a_folder_that_can_not_be_used_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--seconds", SECONDS, "--directory", str(tmp_path / "none")], {}) == 1
    assert "none" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["0", "-1", "601", "nan"])
def test_a_length_that_is_none_is_refused(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.parse_options([f"--seconds={seconds}"], {})
    assert "--seconds takes" in capsys.readouterr().err
