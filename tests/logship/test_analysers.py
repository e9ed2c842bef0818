"""What the analysers make of lines: the site's own, those of other programs, and nonsense."""

import threading
from pathlib import Path

import pytest

from apps.logship import sending
from apps.logship.analysing import open_readers
from apps.logship.models import CityVisits, PathTimes
from tests.logship import lines as logs

pytestmark = pytest.mark.django_db(transaction=True)


def send_and_count(*paths: Path) -> None:
    readers = open_readers()
    sending.ship(paths, threading.Event())
    for reader in readers:
        reader.drain()


def visits() -> dict[tuple[str, str], int]:
    return {(str(row.day), row.city): row.visits for row in CityVisits.objects.all()}


def requests() -> dict[tuple[str, str], int]:
    return {(str(row.day), row.path): row.requests for row in PathTimes.objects.all()}


@pytest.mark.both_databases
def test_lines_of_other_programs_count_and_nonsense_does_not(tmp_path: Path) -> None:
    made = [
        '{"page": true, "city": "London|", "country": "GB", "at": "2026-11-20T00", "path": "/x", "ms": 7}',
        "noodles",
        '{"page": true}',
        "[1]",
        '{"at": "yesterday", "page": true, "city": "", "country": "", "path": "", "ms": "long"}',
    ]
    send_and_count(logs.write(tmp_path / "a.jsonl", made))
    assert visits() == {("2026-11-20", "London|"): 1}
    assert requests() == {("2026-11-20", "/x"): 1}


def test_times_are_summed_and_the_slowest_is_kept(tmp_path: Path) -> None:
    made = logs.make(100)
    send_and_count(logs.write(tmp_path / "a.jsonl", made[:50]), logs.write(tmp_path / "b.jsonl", made[50:]))
    every = [float(line.rpartition(":")[2].rstrip("}")) for line in made]
    assert sum(row.total_ms for row in PathTimes.objects.all()) == pytest.approx(sum(every))
    assert max(row.slowest_ms for row in PathTimes.objects.all()) == max(every)


def test_a_day_tells_a_bounded_number_of_paths_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.logship.analysing.MAX_PATHS", 3)
    line = '{{"at":"2026-11-20T00","path":"/{}","status":200,"ms":1.0}}'
    send_and_count(logs.write(tmp_path / "a.jsonl", [line.format(number % 10) for number in range(100)]))
    assert sum(requests().values()) == 100
    assert requests()["2026-11-20", "(other)"] == 70
