from hypothesis import given
from hypothesis import strategies as st

from apps.web.names import readings
from apps.web.names.reading_order import sort_key

names = st.text(st.sampled_from("ab09海底捞重庆é() ") | st.characters(exclude_categories=["Cs"]), max_size=8)


def test_names_stand_in_the_order_of_reading() -> None:
    ordered = [
        *("2号店", "10号店", "阿里", "apple", "北京", "重庆小面"),
        *("Éclair", "eclair bar", "海底", "海底捞", "海底捞2号店", "海底捞10号店", "三楼", "Zebra"),
    ]
    assert sorted(reversed(ordered), key=sort_key) == ordered


def test_digits_count_as_numbers_wherever_they_stand() -> None:
    ordered = ["Bar 2", "Bar 2b", "Bar 010", "Bar 10 b", "Bar 99", "Bar 100"]
    assert sorted(reversed(ordered), key=sort_key) == ordered


@given(names, names)
def test_only_the_same_name_has_the_same_key(one: str, other: str) -> None:
    assert (sort_key(one) == sort_key(other)) == (one == other)


@given(st.integers(0, 10**30), st.integers(0, 10**30))
def test_numbers_of_any_length_are_in_order(one: int, other: int) -> None:
    assert (sort_key(f"No. {one}") < sort_key(f"No. {other}")) == (one < other)


def test_a_character_is_read_by_its_word() -> None:
    assert readings.syllables("重庆") == ["chong", "qing"]
    assert readings.syllables("银行") == ["yin", "hang"]
    assert readings.syllables("绿茶 2号") == ["lv", "cha", " 2", "hao"]
