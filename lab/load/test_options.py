"""The load lab's options: what it accepts, and what it refuses."""

import pytest

from lab.load import options
from lab.load.options import Refusal


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "http://10.0.0.1:8000",
        "http://127.0.0.1.example.com",
    ],
)
def test_a_machine_elsewhere_is_named_twice(url: str) -> None:
    host = url.split("/")[2].partition(":")[0]
    for words in ([], ["--allow", "other.example.com"]):
        with pytest.raises(Refusal, match=f"not this machine's loopback: .* by --allow {host}$"):
            options.parse(["--url", url, *words], {})
    assert options.parse(["--url", url, "--allow", host], {}).url == url


@pytest.mark.parametrize("url", ["127.0.0.1", "ftp://127.0.0.1", "http:///path", "file:///etc"])
def test_a_url_that_is_none_is_a_sentence(url: str) -> None:
    with pytest.raises(Refusal, match="no http:// or https:// URL"):
        options.parse(["--url", url, "--allow", "127.0.0.1"], {})


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000", "https://127.0.0.1", "http://localhost:8123", "http://[::1]:8000"]
)
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
        ["--profile", "flood"],
        ["--rate", "-1"],
        ["--rate", "1e9"],
        ["--rate", "nan"],
        ["--rate", "5", "--duration", "0"],
        ["--vouchers", "x"],
        ["--vouchers", "9223372036854775808"],
    ],
)
def test_a_load_that_cannot_be_is_a_sentence(words: list[str]) -> None:
    with pytest.raises(Refusal, match="takes"):
        options.parse(words, {})


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--tokens", "t.txt"], "--tokens and --vouchers go together, with --url"),
        (["--thresholds", "p99"], "--thresholds: 'p99' is no threshold"),
        (["--vouchers", "17"], "--tokens and --vouchers go together, with --url"),
        (["--url", "http://127.0.0.1:1", "--tokens", "t.txt"], "go together"),
        (["--url", "http://127.0.0.1:1", "--tokens", "t", "--vouchers", "1", "--bots", "2"], "no --tokens"),
        (["--browsers", "--rate", "5"], "--browsers has a plan of its own"),
        (["--browsers", "--profile", "ramp"], "--browsers has a plan of its own"),
    ],
)
def test_options_that_do_not_fit_each_other_are_a_sentence(words: list[str], sentence: str) -> None:
    with pytest.raises(Refusal, match=sentence):
        options.parse(words, {})


def test_a_foreign_site_has_tokens_and_vouchers() -> None:
    words = ["--url", "http://127.0.0.1:1", "--tokens", "t.txt", "--vouchers", "17, 18"]
    assert options.parse(words, {}).vouchers == [17, 18]
