"""What an attack may leave behind."""

from lab.campaign.attacks import trial
from lab.campaign.resources import Usage

BEFORE = Usage({"web": 200_000_000, "redis": 30_000_000}, {"web": 90}, redis_bytes=20_000_000)


def test_what_other_people_leave_is_no_finding() -> None:
    after = Usage({"web": 215_000_000, "redis": 31_000_000}, {"web": 100}, redis_bytes=22_000_000)
    assert list(trial.find_leftovers(BEFORE, after)) == []


def test_memory_keys_and_open_files_are_found() -> None:
    after = Usage({"web": 300_000_000, "redis": 31_000_000}, {"web": 390}, redis_bytes=433_000_000)
    assert list(trial.find_leftovers(BEFORE, after)) == [
        "web keeps 100.0 MB",
        "Redis keeps 413.0 MB",
        "web keeps 300 files open",
    ]
