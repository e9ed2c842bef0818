import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.accounts.mentions import parsing
from apps.web.characters import fold

names = st.text(st.sampled_from("Ab 小李@.\n"), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@Bob", ["Bob"]),
        ("hi @Bob, and @Bob Li!", ["Bob", "Bob Li"]),
        ("@Bobby", []),
        ("@小李你好", ["小李"]),
        ("mail bob@Bob.org", []),
        ("http://x.y/@Bob", []),
        ("HTTPS://x.y/a?to=@Bob&or=#@Bob", []),
        ("see x.y/@Bob and @Bob", ["Bob"]),
        ("@ Bob @Bo", []),
        ("@bob", ["Bob"]),
        ("@ＢＯＢ　Ｌｉ!", ["Bob Li"]),  # noqa: RUF001
        ("@Zoe\u0308, @zOË", ["Zoë", "Zoë"]),
        ("(@{x}) @Zoë", ["{x}", "Zoë"]),
        ("@Bob" * 2, ["Bob"]),
        ("", []),
    ],
)
def test_names_stand_after_an_at_sign(text: str, found: list[str]) -> None:
    known = {"Bob", "Bob Li", "小李", "{x}", "Zoë", ""}
    spans = parsing.find_spans(text, known)
    assert [span.name for span in spans] == found
    assert all(fold(text[span.start : span.end]) == fold(f"@{span.name}") for span in spans)


@given(names, names, names)
def test_a_name_that_is_found_was_possible(before: str, name: str, after: str) -> None:
    text = f"{before} @{name}{after}"
    for span in parsing.find_spans(text, [name]):
        if name == name.strip() and "\n" not in name:
            assert span.name in parsing.possible_names(text)


def test_case_tells_two_people_apart_who_differ_by_nothing_else() -> None:
    spans = parsing.find_spans("@bob @Bob @BOB", {"bob", "Bob"})
    assert [span.name for span in spans] == ["bob", "Bob"]


def test_a_text_links_twenty_people_at_most() -> None:
    people = {f"n{number}": number for number in range(30)}
    text = " ".join(f"@{name}." for name in people)
    assert list(parsing.link_names(text, people)) == list(range(20))
