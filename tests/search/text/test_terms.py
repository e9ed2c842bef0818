"""From text to terms, and from terms back to marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.search.index import vocabulary
from apps.search.text import folding, marks, terms
from apps.web.findable import Field


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Café ＮＯＯＤＬＥ", ["cafe", "noodle"]),
        ("三樓火鍋", ["三楼", "楼火", "火锅"]),
        ("2号店 B座", ["2", "号店", "b", "座"]),
        ("İstanbul Straße e\u0301", ["istanbul", "strasse", "e"]),
        ("don't", ["don", "t"]),
        ("😀 {a} \x00", ["a"]),
    ],
)
def test_terms_of_a_text(text: str, expected: list[str]) -> None:
    assert terms.split(folding.fold(text)) == expected


def test_names_have_single_characters_too() -> None:
    found = terms.of_document(
        {"name": ["三楼"], "text": ["火锅"]}, {"name": Field(3, True), "text": Field(1)}
    )
    assert found.counts == {"三楼": 3, "三": 3, "楼": 3, "火锅": 1}
    assert found.length == 4


def test_a_snippet_shows_the_words_in_the_reader_s_own_spelling() -> None:
    text = "A long walk. " * 30 + "Then the CAFÉ with 三樓火鍋 in it." + " The end." * 30
    parts = marks.snippet(text, {"cafe", "火锅"}, 80)
    assert [part.text for part in parts if part.is_marked] == ["CAFÉ", "火鍋"]
    assert len("".join(part.text for part in parts)) <= 82
    assert parts[0].text == parts[-1].text == "…"


@given(st.text(max_size=200))
def test_marks_never_change_a_text(text: str) -> None:
    words = set(terms.split(folding.fold(text)))
    parts = marks.mark(text, words)
    assert "".join(part.text for part in parts) == text
    assert any(part.is_marked for part in parts) == bool(words)


@given(st.text("abc", min_size=5, max_size=8), st.integers(0, 3), st.integers(0, 7), st.sampled_from("abcx"))
def test_every_single_mistake_shares_a_shorter_spelling(word: str, how: int, place: int, letter: str) -> None:
    place %= len(word) - 1
    changed = [
        word[:place] + letter + word[place:],
        word[:place] + word[place + 1 :],
        word[:place] + letter + word[place + 1 :],
        word[:place] + word[place + 1] + word[place] + word[place + 2 :],
    ][how]
    assert changed == word or vocabulary.are_one_letter_apart(word, changed)
    assert vocabulary.shorten(word) & vocabulary.shorten(changed)
