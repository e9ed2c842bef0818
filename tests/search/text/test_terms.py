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
        ("don't", ["don", "'t"]),
        ("Chen’s", ["chen", "'s"]),
        ("ラーメン・花", ["ラー", "ーメ", "メン", "花"]),
        ("hot\u200bpot \u202a٢٥\u202c", ["hotpot", "25"]),
        ("😀 {a} \x00", ["a"]),
    ],
)
def test_terms_of_a_text(text: str, expected: list[str]) -> None:
    assert terms.split(folding.fold(text)) == expected


def test_names_have_single_characters_too() -> None:
    found = terms.of_document(
        {"name": ["三楼"], "text": ["火锅"]}, {"name": Field(3, True), "text": Field(1)}
    )
    assert found.counts == {"三楼": 3, "三": 3, "楼": 3, "火锅": 1, "锅": terms.FORM_FACTOR, "~sanlou": 3}
    assert (found.length, found.forms) == (4, ["~sanlou", "锅"])


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("7-Eleven", ["7eleven"]),
        ("7Eleven", ["eleven"]),
        ("iPhone15", ["15", "iphone"]),
        ("20th 2F b2b", ["20"]),
        ("Wi‑Fi", ["wifi"]),
        ("rock'n'roll", ["nroll", "rockn", "rocknroll"]),
        ("Chen’s don't", ["chens", "dont"]),
        ("we're I'll she'd", []),
        ("1,000 tea,coffee", ["1000"]),
        ("7-11 12:30 2.5", ["711"]),
        ("B&B", ["bb"]),
        ("hot pot, 锅", []),
    ],
)
def test_a_word_has_other_forms(text: str, forms: list[str]) -> None:
    folded = folding.fold(text)
    assert sorted({form.term for form in terms.other_forms(folded)}) == forms
    assert terms.of_document({"text": [text]}, {"text": Field(1, is_name=True)}).forms == forms
    for form in terms.other_forms(folded):
        marked = [part.text for part in marks.mark(text, {form.term}) if part.is_marked]
        assert marked == [text[form.start : form.end]]


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("拉麺", "拉面"), ("拉麵", "拉面"), ("拉麪", "拉面"), ("広島", "广岛"), ("駅弁", "驿弁"),
        ("鶏白湯", "鸡白汤"), ("餃子", "饺子"), ("焼鳥", "烧鸟"), ("横浜", "横滨"), ("陶芸", "陶艺"),
        ("呉服", "吴服"), ("舗", "铺"), ("酒樓", "酒楼"), ("裏", "里"), ("裡", "里"),
        ("粥麪", "粥面"), ("衞", "卫"), ("衛", "卫"), ("枱", "台"), ("峯", "峰"),
        ("啓", "启"), ("沪", "沪"), ("欠", "欠"), ("ﾗｰﾒﾝ", "ラーメン"),
    ],
)  # fmt: skip
def test_forms_of_a_character_are_one(typed: str, written: str) -> None:
    assert folding.fold(typed) == folding.fold(written) == written


@given(st.text(st.characters(min_codepoint=0x3400, max_codepoint=0x9FFF), max_size=20))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert folding.fold(folding.fold(text)) == folding.fold(text)


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


def test_odd_letters_leave_little_behind() -> None:
    for first in range(0xF0000, 0xF0000 + 3 * folding.MAX_KEPT_CHARACTERS, 10_000):
        text = "".join(map(chr, range(first, first + 10_000)))
        assert folding.fold(text) == text
    assert len(folding._FOLDED) <= folding.MAX_KEPT_CHARACTERS
    assert folding.fold("Ｅ") == "e"
