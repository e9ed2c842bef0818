"""kill -9 of sender and analysers at random blocks: every line is counted, and none twice."""

import json
import signal
from pathlib import Path
from random import Random

import pytest

from tests.faults.management_process import ManagementProcess
from tests.logship import lines as logs

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

COUNT_CODE = """
import json
from django.db.models import Sum
from apps.logship.models import CityVisits, PathTimes
visits = [[str(row.day), row.city, row.visits] for row in CityVisits.objects.all()]
print(json.dumps([visits, PathTimes.objects.aggregate(all=Sum("requests"))["all"]]))
"""


def run_until_killed(clerk: ManagementProcess, place: str, *words: str) -> None:
    """Run a command that dies at this place and passage, or ends before it."""
    done = clerk.run(*words, crash_at=place)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr


def test_killed_at_any_block_every_line_counts_once(site_clerk: ManagementProcess, tmp_path: Path) -> None:
    chance = Random()
    made = logs.make(60_000)
    paths = [
        str(logs.write(tmp_path / "a.jsonl.gz", made[:40_000])),
        str(logs.write(tmp_path / "b.jsonl", made[40_000:])),
    ]
    for _ in range(4):
        run_until_killed(site_clerk, f"block sent:{chance.randrange(1, 20)}", "ship_logs", *paths)
        place = chance.choice(["commit", "blocks counted"])
        run_until_killed(site_clerk, f"{place}:{chance.randrange(1, 3)}", "analyse_logs")
    site_clerk.manage("ship_logs", *paths)
    site_clerk.manage("analyse_logs")
    visits, requests = json.loads(site_clerk.run_code(COUNT_CODE))
    assert {(day, city): count for day, city, count in visits} == logs.count_visits(made)
    assert requests == len(made)
