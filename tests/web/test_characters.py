"""What a reader sees of a character, and the plain form of pasted numbers."""

import unicodedata

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
