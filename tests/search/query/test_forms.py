"""Forms of a word: joined, in parts, of one stem; and phrases with one character."""

import random

import pytest

from apps.search.query import word_forms
from apps.search.query.parsing import Group
from apps.search.query.search import SearchPage, SearchRequest, search
from apps.search.query.word_forms import Split
from tests.search import corpora

pytestmark = pytest.mark.django_db


def find(text: str, **wanted: object) -> SearchPage:
    request = {"kind": corpora.NAME, "size": 50, "is_prefix": False} | wanted
    return search(SearchRequest(text=text, **request))  # type: ignore[arg-type]


def texts(page: SearchPage) -> list[str]:
    return [hit.thing for hit in page.hits]


#: Ways to write one name, of which each finds all of a line.
WRITTEN = [
    ["7-Eleven", "7 Eleven", "7Eleven", "７－Ｅｌｅｖｅｎ"],
    ["hotpot", "hot pot", "hot-pot", "Hot-Pots", "hot pots"],
    ["Old Chen's Teahouse", "old chen tea house", "Old Chens’ Tea-Houses"],
    ["Wi-Fi", "wifi", "wi fi", "Wi‑Fi"],
    ["rock'n'roll", "rock n roll", "Rock’n’Roll"],
    ["T-shirts", "tshirt", "T shirt"],
    ["K11", "K-11", "K 11"],
    ["don't", "dont", "don’t"],
    ["ice cream", "icecream", "ice-creams"],
    ["Jean-Paul", "Jean Paul", "jeanpaul"],
]


@pytest.mark.parametrize("written", WRITTEN, ids=lambda written: written[0])
def test_every_way_to_write_a_name_finds_every_other(written: list[str]) -> None:
    with corpora.indexed({1: "a walk by the lake", **dict(enumerate(written, start=2))}):
        for typed in written:
            page = find(typed)
            assert set(texts(page)) == set(written), typed
            assert (page.total, page.dropped, page.corrected) == (len(written), [], "")
            assert texts(page)[0] == typed or typed not in ("hotpot", "wifi", "dont", "tshirt")
            assert all(any(part.is_marked for part in hit.title) for hit in page.hits), typed


def test_what_else_is_in_the_index_takes_no_form_away() -> None:
    known = dict(enumerate([f"Hot pot number {number}" for number in range(20)], start=1))
    with corpora.indexed(known):
        assert find("hotpot").total == 20
    with corpora.indexed(known | {99: "hotpot"}):
        assert find("hotpot").total == find("hot pot").total == 21
        assert texts(find("hotpot"))[0] == "hotpot"


def test_a_long_query_looks_for_few_halves_and_for_those_of_each_word() -> None:
    found = {Group(((word,),)): [Split(word, (str(place),)) for place in range(5)] for word in "abcdef"}
    limited = word_forms.limit_splits(found)
    assert sum(map(len, limited.values())) == word_forms.MAX_CUTS_OF_QUERY
    assert all(some and some[0] == found[group][0] for group, some in limited.items())


def test_halves_stand_side_by_side_and_are_no_words_that_only_join() -> None:
    with corpora.indexed({1: "a pot that was hot", 2: "it takes a more careful cook", 3: "didn't rain"}):
        assert find("hotpot").total == 0
        # Repaired, since nothing has them in any form.
        assert [find(typed).corrected for typed in ("amore", "train")] == ["more", "rain"]


def test_made_up_words_are_found_joined_and_apart() -> None:
    chance = random.Random(4)
    letters = "bdfgklmnprtvz"
    words = ["".join(chance.choices(letters, k=chance.randint(1, 6))) for _ in range(24)]
    for _ in range(3):
        first, second = chance.sample([word for word in words if len(word) > 1], 2)
        written = [f"{first}{sign}{second}" for sign in ("", " ", "-", ".", "/")]
        others = [f"{second} {first}", f"{first} between {second}"]
        with corpora.indexed(dict(enumerate([*written, *others], start=1))):
            assert set(texts(find(first + second))) == set(written), (first, second)
            assert set(texts(find(f'"{first} {second}"'))) == {*written[1:]}, (first, second)


FORMS = [
    ("noodle", "noodles"), ("berry", "berries"), ("cafe", "cafes"), ("dumpling", "dumplings"),
    ("party", "parties"), ("walk", "walking"), ("box", "boxes"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), FORMS)
def test_other_forms_of_a_word_are_found_after_the_typed_one(one: str, other: str) -> None:
    # Short texts weigh more: even so, one that has another form comes after a long one with the typed one.
    long = " and much more to see and to say about this place than that" * 20
    known = {1: one, 2: f"{one} {one}", 3: other + long, 4: f"{other} {other}", 5: f"the {one} here" + long}
    with corpora.indexed(known | {6: "nothing of the kind"}):
        for typed, number in ((one, 3), (other, 2)):
            page = find(typed)
            assert page.total == 5
            assert len([text for text in texts(page)[:number] if typed in text.split()]) == number
        assert find(one, is_prefix=True).total == find(other, is_prefix=True).total == 5


def test_a_phrase_and_an_exact_search_take_a_word_as_it_is() -> None:
    with corpora.indexed({1: "noodle bar", 2: "noodles bar", 3: "the noodlesbar"}):
        assert texts(find('"noodle bar"')) == ["noodle bar"]
        assert texts(find('"noodles"')) == ["noodles bar"]
        assert texts(find("noodles", exact=True)) == ["noodles bar"]
        assert set(texts(find("noodles -noodle"))) == {"noodles bar"}
        assert find("noodlez").corrected == "noodles"
        assert set(texts(find("noodlez"))) == {"noodle bar", "noodles bar"}


NUMBERED = ["南京路225号", "北京路 225", "225路公交", "路225", "路上有225人", "在路口225号", "225号路"]


@pytest.mark.parametrize(
    ("phrase", "found"),
    [
        ("路 225", {"南京路225号", "北京路 225", "路225"}),
        ("225 路", {"225路公交"}),
        ("225 号", {"南京路225号", "在路口225号", "225号路"}),
        ("京路 225", {"南京路225号", "北京路 225"}),
        ("路225号", {"南京路225号"}),
        ("口 225 号", {"在路口225号"}),
        ("有 225 人", {"路上有225人"}),
    ],
)
@pytest.mark.parametrize("is_name", [False, True])
def test_one_character_beside_a_number_is_a_phrase(phrase: str, found: set[str], is_name: bool) -> None:
    with corpora.indexed(dict(enumerate(NUMBERED, start=1)), is_name=is_name):
        assert set(texts(find(f'"{phrase}"'))) == found


def test_a_character_is_found_wherever_it_stands() -> None:
    known = ["南京路。", "路", "路口", "十字路口", "a路b", "没有"]
    with corpora.indexed(dict(enumerate(known, start=1))):
        assert set(texts(find("路"))) >= {"南京路。", "路", "路口", "十字路口", "a路b"}
        assert "没有" not in texts(find("路"))
        assert texts(find("没有 -路")) == ["没有"]
        assert set(texts(find("路 -口"))) == {"南京路。", "路", "a路b"}
