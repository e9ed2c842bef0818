"""What a reader sees of a character, and the plain form of pasted numbers."""

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.web import characters

INVISIBLE = [
    "",
    " ",
    "\n",
    "\u3164",
    "\u200b",
    "\u115f\u1160",
    "\uffa0",
    "\u2800",
    "\u00ad",
    "\u034f",
    "\ufe0f",
]
INVISIBLE += [
    "\u17b4",
    "\u180e",
    "\u2060",
    "\ufeff",
    "\U000e0041",
    "\U0001d173",
    "\u0301",
    "\u3164\u200b \u2800",
]
VISIBLE = [
    "a",
    "1",
    "!",
    "汉",
    "ก",
    "🍜",
    "\U0001fa77",
    "\U0001fae9",
    "\U0002ebf0",
    "©",
    "\u3164x",
    "🧑\u200d🍳",
    "‽",
]


@pytest.mark.parametrize("text", INVISIBLE)
def test_nothing_is_seen_of_it(text: str) -> None:
    assert not characters.has_visible_characters(text)


@pytest.mark.parametrize("text", VISIBLE)
def test_a_reader_sees_it(text: str) -> None:
    assert characters.has_visible_characters(text)


@given(st.text())
def test_what_is_left_of_a_text_without_ignorable_characters_is_as_visible(text: str) -> None:
    left = characters.drop_ignorable(text)
    assert characters.has_visible_characters(left) == characters.has_visible_characters(text)
    assert characters.drop_ignorable(left) == left


@given(st.text(st.characters(categories=["Nd"]), min_size=1))
def test_digits_of_any_script_are_plain(digits: str) -> None:
    assert characters.to_plain_number(digits) == "".join(str(unicodedata.decimal(one)) for one in digits)


@pytest.mark.parametrize(
    ("pasted", "plain"),
    [
        ("\u202a+86 138\u00a01234\u20025678\u202c", "+86 138 1234 5678"),
        ("＋８６（１３８）　１２３４－５６７８", "+86(138) 1234-5678"),
        ("138–1234—5678−0", "138-1234-5678-0"),
        ("\u2068123\u2069\u200b 456\r\n", "123 456"),
        ("1²x", "1²x"),
    ],
)
def test_a_pasted_number_has_a_plain_form(pasted: str, plain: str) -> None:
    assert characters.to_plain_number(pasted) == plain


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice", "ＡＬＩＣＥ"), ("Zoë", "zoe\u0308"), ("STRASSE", "straße"), ("ﬁne", "FINE"),
        ("a  b", " A\u3000b\n"),
        ("ｶﾞ", "ガ"), ("한글", "\u1112\u1161\u11ab글"), ("小李", "\u200b小李\ufe0f"), ("①", "1"), ("Ǆ", "dž"),
    ],
)  # fmt: skip
def test_spellings_of_one_name_fold_to_the_same(one: str, other: str) -> None:
    assert characters.fold(one) == characters.fold(other)


@given(st.text(max_size=12))
def test_what_is_folded_stays_so_in_each_form_of_unicode(text: str) -> None:
    folded = characters.fold(text)
    assert characters.fold(folded) == folded
    form: Literal["NFC", "NFD", "NFKC", "NFKD"]
    for form in ("NFC", "NFD"):
        assert characters.fold(unicodedata.normalize(form, text)) == folded
    for form in ("NFKC", "NFKD"):
        assert characters.fold(unicodedata.normalize(form, folded)) == folded


@pytest.mark.parametrize(
    "first",
    [
        "a", "李", "é", "e\u0301", "🇨🇳", "👨\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "🏳\ufe0f\u200d🌈",
        "1\ufe0f\u20e3",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\u1112\u1161\u11ab", "각",
        "क\u094dष\u093f",
        "ที่"[:2], "👩🏽\u200d🚀", "ß", "😀",
    ],
)  # fmt: skip
@pytest.mark.parametrize("rest", ["", "b", "🇨🇳", "李", " x", "😀"])
def test_the_first_character_is_what_a_reader_takes_for_one(first: str, rest: str) -> None:
    assert characters.first_grapheme(first + rest) == first


@given(st.text(max_size=12))
def test_the_first_character_begins_each_text(text: str) -> None:
    first = characters.first_grapheme(text)
    assert text.startswith(first)
    assert bool(first) == bool(text)
