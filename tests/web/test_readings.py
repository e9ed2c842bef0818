import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.search.text import pinyin
from apps.web import readings
from apps.web.readings import sort_key

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


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        ("朝阳烤鸭", ["chao yang kao ya", "zhao yang kao ya"]),
        ("曾记面", ["zeng ji mian", "ceng ji mian"]),
        ("曾国藩", ["zeng guo fan", "ceng guo fan"]),
        ("老曾火锅", ["lao zeng huo guo", "lao ceng huo guo"]),
        ("单家小馆", ["shan jia xiao guan", "dan jia xiao guan"]),
        ("单身汉", ["dan shen han", "shan shen han"]),
        ("曾经的味道", ["ceng jing de wei dao", "zeng jing de wei dao"]),
        ("小区面馆", ["xiao qu mian guan", "xiao ou mian guan"]),
        ("乐园", ["le yuan", "yue yuan"]),
        ("解忧 2号", ["jie you  2 hao", "xie you  2 hao"]),
        ("重庆小面", ["chong qing xiao mian"]),
        ("KTV曾记", ["KTV ceng ji"]),
        ("Bar", ["Bar"]),
    ],
)
def test_a_surname_or_a_place_at_the_head_has_all_its_sounds(name: str, ways: list[str]) -> None:
    assert [" ".join(way) for way in readings.ways(name)] == ways


def test_the_likely_sound_sorts() -> None:
    ordered = ["北京烤鸭", "曾经的味道", "朝阳烤鸭", "单身汉", "单家小馆", "曾记面", "朝歌"]
    assert sorted(reversed(ordered), key=sort_key) == ordered


@pytest.mark.parametrize("table", [readings.SURNAMES, readings.PLACES])
def test_each_reading_of_the_tables_is_one_for_each_character(table: dict[str, str]) -> None:
    syllables = {syllable[:-1] for sounds in table.values() for syllable in sounds.split()}
    assert syllables <= pinyin.SYLLABLES
    assert all(len(sounds.split()) == len(written) for written, sounds in table.items())
    for written, sounds in table.items():
        usual = readings.syllables_with_tones(written)
        assert usual != sounds.split(), f"{written} needs no entry"
