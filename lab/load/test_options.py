"""The load lab's options: what it accepts, and what it refuses."""

import pytest

from lab.load import options
from lab.load.options import Refusal


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "http://10.0.0.1:8000",
        "https://127.0.0.1",
        "http://127.0.0.1.example.com",
        "127.0.0.1",
    ],
)
def test_nobody_elses_machine_is_pressed(url: str) -> None:
    with pytest.raises(Refusal, match="loopback"):
        options.parse(["--url", url], {})


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "http://localhost:8123", "http://[::1]:8000"])
def test_this_machine_is(url: str) -> None:
    assert options.parse(["--url", url], {}).url == url


def test_a_make_variable_is_an_option() -> None:
    assert options.parse([], {"USERS": "70", "DURATION": "2.5"}).users == 70
    assert options.parse(["--users", "80"], {"USERS": "70"}).users == 80


@pytest.mark.parametrize(
    "words",
    [
        ["--users", "0"],
        ["--stock", "1000001"],
        ["--users", "5", "--concurrency", "6"],
        ["--sales", "0"],
        ["--bots", "1001"],
        ["--crush", "-1"],
        ["--duration", "1"],
        ["--browsers", "--opening", "0"],
        ["--nginx"],
    ],
)
def test_a_load_that_cannot_be_is_a_sentence(words: list[str]) -> None:
    with pytest.raises(Refusal, match="takes"):
        options.parse(words, {})
