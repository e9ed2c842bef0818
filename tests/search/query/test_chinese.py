"""Chinese: everything that contains what was typed is found, as others' reported failures show."""

import random

import pytest

from apps.search.query.search import SearchRequest, search
from apps.search.text import terms
from tests.search import corpora

pytestmark = pytest.mark.django_db


def find(text: str) -> set[str]:
    """The texts that a search finds, all of them."""
    page = search(SearchRequest(text=text, kind=corpora.NAME, size=50, exact=True))
    return {hit.thing for hit in page.hits if not page.dropped}


def test_two_to_six_characters_find_every_text_that_contains_them() -> None:
    texts = corpora.make_chinese(150)
    chance = random.Random(1)
    with corpora.indexed(texts):
        for _ in range(60):
            run = chance.choice(terms.RUN_PATTERN.findall(chance.choice(list(texts.values()))))
            length = chance.randint(2, min(6, len(run)))
            start = chance.randint(0, len(run) - length)
            typed = run[start : start + length]
            page = search(SearchRequest(text=f'"{typed}"', kind=corpora.NAME, size=50))
            containing = {text for text in texts.values() if typed in text}
            assert page.total == len(containing), typed
            assert search(SearchRequest(text=typed, kind=corpora.NAME)).total >= len(containing), typed


def test_the_end_of_a_word_is_found() -> None:
    """Meilisearch 2499: "简单" found nothing, since its segmenter keeps "安装简单" together."""
    title = "安装简单，没有复杂的配置：省心"
    with corpora.indexed({9: title, 10: "安装复杂"}, is_name=True):
        assert find("简单") == {title}
        assert find("复杂的") == {title}


def test_phrases_may_begin_and_end_within_words() -> None:
    """Meilisearch 1714: the phrase "小化妆" did not find "小化妆包", nor "包" both of the bags."""
    with corpora.indexed({123: "小化妆包", 456: "Ipad 包"}, is_name=True):
        assert find('"小化妆"') == {"小化妆包"}
        assert find('"化妆包"') == {"小化妆包"}
        assert find('"包"') == find("包") == {"小化妆包", "Ipad 包"}


def test_two_words_an_unwanted_word_and_two_phrases() -> None:
    """Meilisearch 5015: "招商 公司" found nothing, and "招商 -公司" found companies."""
    names = [
        "招商证券", "招商证券股份有限公司", "招商基金管理有限公司", "招商财富资产管理有限公司", "招商蛇口",
        "招商-平安金融中心", "招商基金-杭州运河网谷", "招商产业", "招商信雅达蛇口招商局", "招商国际信息",
    ]  # fmt: skip
    companies = {name for name in names if "公司" in name}
    with corpora.indexed(dict(enumerate(names, start=1)), is_name=True):
        assert find("招商 公司") == companies
        assert find("招商 -公司") == set(names) - companies
        assert find('"招商基金" "公司"') == {"招商基金管理有限公司"}


def test_chinese_beside_latin_letters_and_in_quotes_is_found() -> None:
    """RediSearch 1670 and 4325: a word in a mixed text, and an exact phrase, found nothing."""
    mixed = "如果你是一只火鸟,我一定是那火苗 fire flame"
    with corpora.indexed({1: mixed, 2: "一个眼大一个眼小", 3: "一个眼大"}):
        assert find("火鸟") == find("火鸟 flame") == {mixed}
        assert find('"一个眼大"') == {"一个眼大一个眼小", "一个眼大"}


def test_traditional_characters_find_simplified_ones_and_the_reverse() -> None:
    with corpora.indexed({1: "湖畔麵館", 2: "三楼火锅"}, is_name=True):
        assert find("面馆") == {"湖畔麵館"}
        assert find("三樓火鍋") == {"三楼火锅"}


def test_a_long_sentence_gives_up_the_joining_characters_first() -> None:
    with corpora.indexed({1: "湖边有家好吃的面馆", 2: "火锅和茶"}):
        page = search(SearchRequest(text="火锅的茶", kind=corpora.NAME))
        assert [hit.id for hit in page.hits] == [2]
        assert set(page.dropped) == {"锅的", "的茶"} or page.dropped


def test_a_character_of_many_words_finds_all_of_them_the_heaviest_first() -> None:
    """Of "大" and 80 words that begin with it: their lists are put together, and one of them is long."""
    others = [chr(0x4E00 + number) for number in range(80)]
    texts = {number: f"大{other}{'水火木' * 20}" for number, other in enumerate(others, start=1)}
    texts |= {number: f"大山{number}" for number in range(101, 231)}
    texts |= {301: "山水大山大山", 302: "小山"}
    with corpora.indexed(texts):
        page = search(SearchRequest(text="大", kind=corpora.NAME, size=50))
        assert page.total == 211
        assert page.hits[0].id == 301
        assert {hit.id for hit in page.hits} <= texts.keys() - {302}
        assert find("山 -大") == {"小山"}
        assert find("火木 -大") == set()
