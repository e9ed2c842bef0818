"""Schedules come from their seed, survive a file, and shrink to what fails."""

from pathlib import Path

from lab.campaign import schedule
from lab.campaign.schedule import KINDS, Schedule


def kinds_of(drawn: Schedule) -> list[str]:
    return [fault.kind for each in drawn.rounds for fault in each.faults]


def test_a_seed_draws_the_same_again() -> None:
    assert schedule.draw(300, 5) == schedule.draw(300, 5) != schedule.draw(300, 6)
    drawn = schedule.draw(3_000, 5)
    assert drawn.count == 3_000
    assert set(kinds_of(drawn)) == set(KINDS)
    assert any(each.burst for each in drawn.rounds)
    assert set(kinds_of(schedule.draw(9, 5, kinds=["kill web"]))) == {"kill web"}


def test_a_file_holds_all_of_it(tmp_path: Path) -> None:
    drawn = schedule.draw(20, 5)
    drawn.save(tmp_path / "one.json")
    assert schedule.load(tmp_path / "one.json") == drawn


def test_two_guilty_faults_are_what_is_left() -> None:
    drawn, tries = schedule.draw(60, 3), 0

    def fails(part: Schedule) -> bool:
        nonlocal tries
        tries += 1
        return {"empty redis", "lock SQL"} <= set(kinds_of(part))

    shrunk = schedule.shrink(drawn, fails)
    assert sorted(kinds_of(shrunk)) == ["empty redis", "lock SQL"]
    assert tries < 150


def test_what_fails_without_a_fault_shrinks_to_one() -> None:
    assert schedule.shrink(schedule.draw(30, 3), lambda part: True).count == 1
