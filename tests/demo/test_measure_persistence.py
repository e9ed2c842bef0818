"""The measurement of persistence settings, on real servers that are killed."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.demo.persistence import measuring
from apps.monitoring.persistence import measurements
from apps.monitoring.persistence.losses import MODES
from apps.redis_kit import client

#: Long enough for claims of all callers, on a crowded machine too.
SECONDS = 0.5


@pytest.mark.one_server("it is killed and started again")
def test_a_file_loses_nothing_to_kill_9_and_memory_everything() -> None:
    out = StringIO()
    call_command("measure_persistence", seconds=SECONDS, json=True, stdout=out)
    found = {row["mode"]: row for row in json.loads(out.getvalue())}
    assert list(found) == list(measuring.OPTIONS) == list(MODES)
    assert all(row["accepted"] > 0 and row["p99_ms"] > 0 for row in found.values())
    assert [found[mode]["lost"] for mode in ("no", "everysec", "always")] == [0, 0, 0]
    assert found["none"]["lost"] == found["none"]["accepted"]
    assert 0 < found["rdb"]["lost"] < found["rdb"]["accepted"]
    # The page shows it, and claims go to the site's server again.
    report = measurements.read()
    assert report
    assert report.by_mode["always"].accepted == found["always"]["accepted"]
    assert client.get().dbsize() == 1


def test_a_folder_that_can_not_be_used_is_said(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(CommandError):
        call_command(
            "measure_persistence", seconds=SECONDS, directory=tmp_path_factory.getbasetemp() / "none"
        )


@pytest.mark.parametrize("seconds", [0.0, -1.0, 601.0])
def test_a_length_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(CommandError, match="--seconds"):
        call_command("measure_persistence", seconds=seconds)
