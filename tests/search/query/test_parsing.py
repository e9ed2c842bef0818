"""Reading a query."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.search.query import parsing
from apps.search.query.parsing import MAX_TERMS, Group, parse
from apps.search.words.word_lists import WordLists

LISTS = WordLists({"hotpot": ("火锅", "hot pot")}, frozenset({"please"}), frozenset({"who"}), frozenset())


def typed(text: str) -> list[str]:
    return [group.typed for group in parse(text, LISTS, is_prefix=False).groups]


def test_words_signs_and_phrases() -> None:
    query = parse('spicy +hot noodles -cold "west lake"', is_prefix=False)
    assert query.groups == (
        Group((("west",),), is_exact=True), Group((("lake",),), is_exact=True),
        Group((("spicy",), ("hot",))), Group((("noodles",),)),
    )  # fmt: skip
    assert query.unwanted == (("cold",),)
    assert query.phrases == (("west", "lake"),)


def test_a_word_knows_what_it_makes_with_its_neighbours() -> None:
    query = parse("Old Chen's tea-house 7 11", is_prefix=False)
    joined = {group.typed: set(group.joined) for group in query.groups}
    assert joined["tea"] == {"chentea", "oldchentea", "teahouse", "chenteahouse", "teahouse7"}
    assert joined["chen"] >= {"chens", "oldchen"}
    assert "711" not in joined["11"]
    assert set(parse("7-11", is_prefix=False).groups[0].joined) == {"711"}
    assert all(not group.joined for group in parse('"tea house" "tea" 火锅').groups)


def test_stop_words_are_left_out_while_others_remain() -> None:
    assert typed("please the noodles of who") == ["noodles", "who"]
    assert typed("to be or not to be") == ["to", "be", "or", "not"]


def test_synonyms_of_staff_count_as_if_they_were_typed() -> None:
    (group,) = parse("Hotpot", LISTS).groups
    assert group.alternatives == (("hotpot",), ("火锅",), ("hot", "pot"))


def test_only_a_word_that_may_go_on_is_a_beginning() -> None:
    assert parse("hot nood").groups[-1].is_prefix
    assert not parse("hot noodles ").groups[-1].is_prefix
    assert not parse('"hot nood"').groups[-1].is_prefix


def test_a_long_chinese_sentence_keeps_its_ends() -> None:
    query = parse("西湖边上最好吃的面馆在哪里", is_prefix=False)
    kept = [group.typed for group in query.groups]
    assert len(kept) <= MAX_TERMS
    assert kept[0] == "西湖"
    assert query.is_cut


@pytest.mark.parametrize("text", ["", "   ", "-", "+", '"', '""', "+-", "- -", "的", "!!!", "+火锅", '"面'])
def test_odd_texts_are_queries_too(text: str) -> None:
    assert len(parse(text).groups) <= 1


@given(st.text(max_size=300))
def test_no_text_is_an_error_and_none_has_more_than_eight_terms(text: str) -> None:
    query = parse(text, LISTS)
    assert len(query.groups) <= MAX_TERMS
    for group in query.groups:
        assert 1 <= len(group.alternatives) <= parsing.MAX_ALTERNATIVES
        assert all(term and " " not in term for way in group.alternatives for term in way)
    assert all(query.unwanted)
    assert all(query.phrases)


@given(st.lists(st.sampled_from(['"', "+", "-", " ", "a", "noodle", "火锅", "的", "“", "＋"]), max_size=30))
def test_signs_in_any_order_are_no_error(pieces: list[str]) -> None:
    query = parse("".join(pieces))
    assert not any('"' in group.typed for group in query.groups)
