import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.redis_kit import client
from apps.redis_kit.autocomplete import spelling
from apps.redis_kit.autocomplete.name_index import Match, Name, NameIndex
from apps.redis_kit.autocomplete.spelling import fold
from tests.races import Race
from tests.redis_kit import keys

EXACT, PREFIX, CONTAINS, SLIP = Match

names = st.text(
    st.sampled_from("abé ß海底捞{}\0\1\2\x7f🍜") | st.characters(exclude_categories=["Cs"]), max_size=10
)
texts = st.text(max_size=12)
words = st.text(alphabet="abc", min_size=1, max_size=7)


@pytest.fixture
def index(guarded_redis: redis.Redis) -> NameIndex:
    return build_index()


def build_index() -> NameIndex:
    bands = [keys.INDEX_NAMES(band=number) for number in range(4)]
    index = NameIndex(keys.INDEX_RECORDS(), keys.INDEX_WORDS(), bands)
    index.mark_complete()
    return index


def put(index: NameIndex, *names: Name) -> None:
    index.put(index.next_reading(), names)


def test_exact_prefix_contains_in_this_order(index: NameIndex) -> None:
    put(index, Name(1, ["Alice Li"]), Name(2, ["Lily"]), Name(3, ["Li"]), Name(4, ["海底捞"]))
    assert index.find("li", 10) == [(EXACT, 3), (PREFIX, 2), (CONTAINS, 1)]
    assert index.find("lice", 10) == [(CONTAINS, 1)]
    assert index.find("lice L", 10) == [(CONTAINS, 1)]
    assert index.find("底捞", 10) == [(CONTAINS, 4)]
    assert index.find(" ", 10) == []


@pytest.mark.parametrize(
    "typed", ["ean-paul", "n-p", "-paul", "-p", "e", "n", "n-", "paul d'a", "aul d'a", "l d'arc"]
)
def test_a_middle_of_a_name_is_found_beside_signs_and_by_one_letter(index: NameIndex, typed: str) -> None:
    put(index, Name(1, ["Jean-Paul d'Arc"]), Name(2, ["Bob"]))
    assert [one for _match, one in index.find(typed, 10) or []] == [1]


def test_middles_are_found_beside_many_names_that_begin_so_and_beside_the_name_itself(
    index: NameIndex,
) -> None:
    put(
        index,
        Name(50, ["Lin"]),
        Name(99, ["Berlin"]),
        *(Name(number, [f"Lin {number}"]) for number in range(9)),
    )
    assert (CONTAINS, 99) in (index.find("lin", 30) or [])


def test_the_popular_come_first_though_many_begin_so(index: NameIndex) -> None:
    put(index, *(Name(number, [f"Diner {number}"]) for number in range(1, 60)))
    put(index, Name(77, ["Diner 99"], popularity=20), Name(78, ["Diner 98"], popularity=90_000))
    assert (index.find("din", 2) or [])[:2] == [(PREFIX, 78), (PREFIX, 77)]


def test_a_slip_of_one_letter_finds_the_word(index: NameIndex) -> None:
    put(index, Name(1, ["Third Noodle House"]), Name(2, ["Café Strauß"]))
    for typed in ("noodel", "nodle", "noodlee", "nootle", "third nodle", "straus"):
        assert [one for _match, one in index.find(typed, 10) or []] == [2 if "str" in typed else 1], typed
    assert index.find("xyzzy", 10) == []


def test_of_many_words_one_slip_away_each_is_a_candidate(index: NameIndex) -> None:
    words = [f"noo{letter}les" for letter in "abcdefghijklmnopqrst"]
    put(index, *(Name(number, [word]) for number, word in enumerate(words)))
    assert sorted(index.words_one_slip_away("noozles")) == words
    assert {one for _match, one in index.find("noozles", 30) or []} == set(range(20))


def test_a_rename_forgets_the_old_name_and_a_slow_reader_does_not_bring_it_back(index: NameIndex) -> None:
    early, late = index.next_reading(), index.next_reading()
    index.put(late, [Name(1, ["Bob"], 50)])
    index.put(early, [Name(1, ["Alice"])])
    assert (index.find("alice", 5), index.find("bob", 5)) == ([], [(EXACT, 1)])
    put(index, Name(1, []))
    index.put(late, [Name(1, ["Bob"])])
    assert index.find("bob", 5) == []


def test_fifty_renames_at_once_leave_the_last_read_name_alone(index: NameIndex, race: Race) -> None:
    readings = [index.next_reading() for _ in range(50)]
    race(50, lambda number: index.put(readings[number], [Name(1, [f"name{number:02}"], number)]))
    assert index.find("name", 50) == [(PREFIX, 1)]
    assert index.find("name49", 50) == [(EXACT, 1)]
    assert sum(client.get().zcard(band) for band in index.bands) == 1


def test_an_index_that_is_not_complete_answers_nothing(index: NameIndex) -> None:
    index.clear()
    put(index, Name(1, ["Bob"]))
    assert index.find("bob", 5) is None


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(names, max_size=8), st.data())
def test_whatever_begins_so_is_found_and_leaving_leaves_nothing(
    called: list[str], data: st.DataObject
) -> None:
    client.get().flushall()
    index = build_index()
    put(index, *(Name(number, [name], number * 7) for number, name in enumerate(called)))
    typed = data.draw(names)
    wanted = fold(typed)
    answer = dict((one, match) for match, one in reversed(index.find(typed, 20) or []))
    for number, name in enumerate(called):
        if wanted and fold(name).startswith(wanted):
            assert answer[number] == (EXACT if fold(name) == wanted else PREFIX)
        elif number in answer:
            assert answer[number] in (CONTAINS, SLIP)
    put(index, *(Name(number, []) for number in range(len(called))))
    assert not client.get().exists(*index.bands)


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
