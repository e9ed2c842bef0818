from hypothesis import given
from hypothesis import strategies as st

from apps.redis_kit.autocomplete import spelling

texts = st.text(max_size=12)
words = st.text(alphabet="abc", min_size=1, max_size=7)


@given(texts, texts)
def test_escaping_keeps_order_and_prefixes(one: str, other: str) -> None:
    first, second = spelling.escape(one), spelling.escape(other)
    assert (first < second) == (one < other)
    assert first.startswith(second) == one.startswith(other)
    assert not {spelling.NAME_END, spelling.PART_MARK} & set(first)


@given(texts)
def test_marks_lose_no_character(text: str) -> None:
    folded = spelling.fold(text)
    assert spelling.mark_parts(folded).replace(spelling.PART_MARK, "") == spelling.escape(folded)
    assert spelling.fold(folded) == folded


def test_parts_begin_at_words_and_chinese_characters() -> None:
    parts = spelling.mark_parts(spelling.fold("Café {Noodle} 海底捞2号店")).split(spelling.PART_MARK)
    assert parts == ["cafe {", "noodle} ", "海", "底", "捞", "2", "号", "店"]


def edits(word: str) -> set[str]:
    """Every word one slip away, by brute force."""
    made = {word[:at] + word[at + 1 :] for at in range(len(word))}
    for letter in "abc":
        made |= {word[:at] + letter + word[at:] for at in range(len(word) + 1)}
        made |= {word[:at] + letter + word[at + 1 :] for at in range(len(word))}
    made |= {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    return made - {word}


@given(words, words)
def test_one_slip_is_what_brute_force_says(one: str, other: str) -> None:
    assert spelling.is_one_slip_away(one, other) == (other in edits(one))


@given(words, st.data())
def test_words_one_slip_apart_share_a_bucket(word: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(sorted(edits(word))))
    assert spelling.without_one_letter(word) & spelling.without_one_letter(other)
