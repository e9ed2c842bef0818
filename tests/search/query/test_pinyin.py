"""Chinese found by its sound, as people type it on a keyboard of Latin letters."""

import subprocess
import sys

import pytest

from apps.accounts.models import User
from apps.redis_kit import client
from apps.search import keys
from apps.search.index import draining, generations, rebuilding
from apps.search.query.search import SearchPage, SearchRequest, search
from apps.search.text import pinyin
from apps.shops import changes
from apps.shops.models import Shop
from tests.blog import makers as note_makers
from tests.factories import FlashSaleFactory, UserFactory
from tests.search.index.entries import list_stale_keys
from tests.shops import makers

pytestmark = pytest.mark.django_db

NAMES = (
    "三楼火锅", "小笼包子铺", "重庆小面", "音乐餐吧", "中国银行", "绿茶餐厅", "西安肉夹馍", "略阳菜",
    "和平饭店",
)  # fmt: skip


@pytest.fixture
def city() -> None:
    """Shops with Chinese names in an index."""
    for name in NAMES:
        makers.shop("", name_zh=name)
    rebuilding.rebuild()


def find(text: str, kind: str = "shops", **wanted: object) -> SearchPage:
    return search(SearchRequest(text=text, kind=kind, **wanted))  # type: ignore[arg-type]


def names(text: str, **wanted: object) -> list[str]:
    return [hit.thing.name_zh for hit in find(text, "shops", **wanted).hits]


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        ("三楼火锅", "huoguo|huo guo|HuoGuo|ｈｕｏｇｕｏ|huǒguō|huo\u0301-guo|huogu|huog"),
        ("三楼火锅", "sanlouhuoguo|san lou huo guo|sanlou huoguo|三楼 huoguo"),
        ("小笼包子铺", "xiaolongbao|xiao long bao|xiaolong|xiaolongb|xiaol|xiaolongbaozipu"),
        ("重庆小面", "chongqing|chongqing xiaomian|xiaomian chongqing|Chóngqìng"),
        ("音乐餐吧", "yinyue"),
        ("中国银行", "yinhang"),
        ("绿茶餐厅", "lvcha|lücha|LÜCHA|lǜchá|lu\u0308cha|lucha|lyucha|lüchacanting"),
        ("略阳菜", "lueyang|lveyang|lüeyang|lyueyang"),
        ("西安肉夹馍", "xi'an|Xi’an|xian|XIAN|xi an rou jia mo|xianroujiamo"),
        ("和平饭店", "heping|he ping"),
    ],
)  # fmt: skip
def test_a_name_is_found_by_its_sound(city: None, name: str, spellings: str) -> None:
    assert {typed: names(typed) for typed in spellings.split("|")} == dict.fromkeys(
        spellings.split("|"), [name]
    )


@pytest.mark.parametrize("typed", ["zhongqing", "yinle", "yinxing", "guohuo", "louguo", "hg", "huo", "lao"])
def test_another_sound_finds_nothing(city: None, typed: str) -> None:
    assert names(typed) == []


def test_who_insists_on_letters_gets_no_sounds(city: None) -> None:
    assert (names("huoguo", exact=True), names('"huoguo"'), names("huog", is_prefix=False)) == ([], [], [])


def test_every_kind_is_found_by_its_sound(alice: User) -> None:
    shop = makers.shop("", name_zh="老门火锅", area_zh="武林")
    FlashSaleFactory.create(voucher__shop=shop, voucher__title_zh="双人套餐")
    note = note_makers.note(alice, shop=shop, title="麻辣")
    UserFactory.create(nickname="小面控")
    rebuilding.rebuild()
    assert {kind: find("huoguo", kind).total for kind in ("shops", "sales", "notes", "people")} == {
        "shops": 1, "sales": 1, "notes": 1, "people": 0,
    }  # fmt: skip
    assert find("shuang ren", "sales").total == 1
    assert [hit.id for hit in find("mala", "notes").hits] == [note.pk]
    assert find("xiaomian", "people").total == 1
    assert [find("wulin", kind).total for kind in ("shops", "sales", "notes")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("word", "written", "sound"),
    [
        ("pan", "Pan Noodles", "胖安"),
        ("bang", "Big Bang Bar", "帮忙"),
        ("sushi", "Sushi Bar", "素食"),
        ("panda", "The Panda Cafe", "盘大"),
        ("mala", "Mala Soup", "麻辣"),
        ("sushi bar", "Bar of Sushi", "素食吧"),
    ],
)
def test_a_written_word_comes_before_its_sound(word: str, written: str, sound: str) -> None:
    for number in range(6):
        makers.shop(f"Shop {number}", name_zh=f"{sound}{sound}店{number}")
    makers.shop(written, name_zh="店", about_en="")
    makers.shop(f"{written}s", name_zh="店", about_en="a long text about something else " * 20)
    rebuilding.rebuild()
    assert find(word).hits[0].thing.name_en == written
    assert {hit.thing.name_en for hit in find(word).hits[:2]} == {written, f"{written}s"}


def test_half_a_syllable_is_guessed_only_where_nothing_has_the_word() -> None:
    makers.shop("Lunch Room", name_zh="店")
    makers.shop("Boats", name_zh="轮船")
    rebuilding.rebuild()
    assert [hit.thing.name_en for hit in find("lunch").hits] == ["Lunch Room"]
    assert [hit.thing.name_en for hit in find("lunc").hits] == ["Lunch Room"]
    assert [hit.thing.name_en for hit in find("lunchu").hits] == ["Boats"]


def test_a_sound_follows_its_name(city: None) -> None:
    shop = Shop.objects.get(name_zh="三楼火锅")
    shop.name_zh = "三楼烤肉"
    changes.save(shop)
    draining.index_waiting()
    assert (names("huoguo"), names("kaorou")) == ([], ["三楼烤肉"])
    assert list_stale_keys() == []
    changes.update(Shop.objects.all(), is_listed=False)
    draining.index_waiting()
    assert names("kaorou") == []


def test_an_index_of_before_is_rebuilt_by_the_sweep(city: None) -> None:
    generation = generations.live("shops")
    assert generation is not None
    client.get().hset(keys.STATS(kind="shops", generation=generation), "layout", "4")
    assert rebuilding.rebuild_missing() == ["shops"]
    assert (generations.live("shops") != generation, names("huoguo")) == (True, ["三楼火锅"])


@pytest.mark.parametrize(
    "text",
    [
        "", "火", "\U00020000\U00030000", "火\U00020000锅", "㐀㐁", "嗯嗯", "火A锅", "火\x00锅", "ラーメン",
        "瓩", "\ud800火锅"[1:], "火锅" * 50_000, "\U0002a6d6" * 5_000, "한국", "🍲火锅🍲",
    ],
)  # fmt: skip
def test_any_text_may_be_read(text: str) -> None:
    found = pinyin.terms_of(text)
    assert all(term.startswith(pinyin.MARK) and term[1:].isascii() and term[1:].isalpha() for term in found)
    assert len(found) < 10
    assert ("~huoguo" in found) == ("火锅" in text)


@pytest.mark.parametrize(
    "typed", ["xian" * 50, "a" * 200, "liangan" * 28, "~huoguo", "~", "huoguo\x00", "火guo"]
)
def test_any_text_may_be_typed(city: None, typed: str) -> None:
    assert find(typed).total in {0, 1}


@pytest.mark.parametrize("typed", ["xian" * 16, "a" * 64, "angan" * 12, "yuanan" * 10])
def test_a_long_word_is_cut_in_few_ways(typed: str) -> None:
    assert all(len(way) <= pinyin.MAX_PAIRS for way in pinyin.cut(typed))
    assert 1 <= len(pinyin.cut(typed)) <= pinyin.MAX_WAYS
    assert len(pinyin.cut_begun(typed)) <= pinyin.MAX_WAYS


def test_a_query_needs_no_dictionary_of_readings() -> None:
    program = (
        "import sys\nfrom apps.search.text import pinyin\n"
        "print(pinyin.cut('huoguo'), pinyin.cut_begun('huogu'), 'pypinyin' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == "[('~huoguo',)]"
    assert done.stdout.split()[-1] == "False"
