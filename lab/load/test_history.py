"""Which runs the load lab compares, and which changes it reports."""

import json
from pathlib import Path

import pytest

from lab.load import history, options
from lab.load.options import Options
from lab.load.result import Part, Result
from tests.crowd.site_setup import Verdict
from tests.crowd.tally import Tally


def parsed(*words: str) -> Options:
    return options.parse(words, {})


def result(answers: int) -> Result:
    tally = Tally()
    for _ in range(answers):
        tally.add("201", 0.01)
    return Result(tally, 10.0, 0.1, 0.5, 9_000, Verdict(), [], Part("bots", 0, Tally()), {}, [])


def test_the_newest_run_of_the_same_shape_is_the_one_before(tmp_path: Path) -> None:
    for answers in (100, 200):
        history.save_result(tmp_path, parsed(), result(answers))
    history.save_result(tmp_path, parsed("--bots", "3"), result(300))
    found = history.load_previous(tmp_path, parsed())
    assert found
    assert found["answers"] == 200


def test_a_file_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    history.save_result(tmp_path, parsed(), result(100))
    for name, text in (("9.json", "{"), ("99.json", "[]"), ("999.json", json.dumps({"shape": 1}))):
        (tmp_path / name).write_text(text)
    found = history.load_previous(tmp_path, parsed())
    assert found
    assert found["answers"] == 100
    assert history.load_previous(tmp_path / "none", parsed()) is None


@pytest.mark.parametrize(("now", "said"), [(200, "+100%, better"), (50, "-50%, worse"), (110, "no figure")])
def test_what_moved_is_said(now: int, said: str) -> None:
    told = history.describe_changes(result(now).as_dict(), result(100).as_dict())
    assert said in " ".join(told)
    assert history.describe_changes(result(now).as_dict(), None) == []
