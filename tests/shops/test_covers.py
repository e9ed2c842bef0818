import re
from collections.abc import Sequence
from xml.etree import ElementTree

import pytest
from django.test import Client

from apps.demo import places
from apps.demo.shop_kinds import FLAVOURS, KINDS
from apps.shops.covers import scene, subjects
from apps.shops.covers.scene import Look
from apps.shops.lists import cards
from apps.shops.models import Shop
from tests.factories import ShopFactory

COLOUR = re.compile("#[0-9a-f]{6}")
MOTIFS = {**scene.MOTIFS_BY_SUBJECT, **scene.MOTIFS_BY_TYPE}


def motif_of(english: str, chinese: str = "", *, slug: str = "food") -> str:
    return scene.choose_look(slug, english, chinese, 1).motif


def test_every_drawing_is_used_and_a_well_formed_small_picture() -> None:
    assert set(scene.DRAWINGS) == {motif for motifs in MOTIFS.values() for motif in motifs}
    for names in scene.DRAWINGS.values():
        for name in names:
            drawn = (scene.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
            assert ElementTree.fromstring(drawn).get("viewBox") == "0 0 400 300"
            assert len(drawn) < 12_000
            assert not re.search("<text|<script|<style|href|url\\((?!#)| on", drawn)


def test_every_kind_has_six_drawings_at_least() -> None:
    assert sum(map(len, scene.DRAWINGS.values())) >= 60
    for kind in KINDS:
        subjects_of_kind = {subjects.find(english, chinese) for english, chinese in kind.cores}
        motifs = {*scene.MOTIFS_BY_TYPE[kind.slug], *(m for s in subjects_of_kind for m in MOTIFS.get(s, ()))}
        assert sum(len(scene.DRAWINGS[motif]) for motif in motifs) >= 6


def test_a_drawing_is_in_the_colours_of_its_look_alone() -> None:
    first, other = (scene.draw(Look("bowl", number), 7) for number in (0, 6))
    ours = set(scene.PALETTES[0].all)
    assert ours & set(COLOUR.findall(first))
    assert not ours & set(COLOUR.findall(other))
    assert COLOUR.sub("", first) == COLOUR.sub("", other)


def test_a_shop_keeps_its_picture_and_others_have_another() -> None:
    look = scene.choose_look("food", "Corner Noodle House", "", 7)
    assert scene.draw(look, 7) == scene.draw(look, 7)
    assert len({scene.draw(look, seed) for seed in range(50)}) == len(scene.DRAWINGS["bowl"]) > 1


@pytest.mark.parametrize(
    ("english", "chinese", "motif"),
    [
        ("Morning Market Dumpling Kitchen", "早市饺子馆", "steamer"),
        ("Two Brothers Roast Duck", "两兄弟烤鸭店", "roast_duck"),
        ("Teahouse Hot Pot", "茶楼火锅", "hot_pot"),
        ("Longjing Teahouse", "龙井茶楼", "teapot"),
        ("", "重庆小面", "bowl"),
        ("重庆小面", "", "bowl"),
        ("Luna 咖啡", "", "cup"),
        ("CAFÉ MÜLLER", "", "cup"),
        ("Canal Side Pool", "运河游泳馆", "pool"),
        ("", "海洋游泳馆（滨江店）", "pool"),
        ("Clay Studio (Pizza Lane)", "", "pottery"),
        ("Salon for Nails", "", "polish"),
    ],
)
def test_a_cover_fits_the_last_known_word_of_the_name(english: str, chinese: str, motif: str) -> None:
    fitting = scene.MOTIFS_BY_SUBJECT[subjects.find(english, chinese)]
    assert motif in fitting
    assert motif_of(english, chinese, slug="party") in fitting


@pytest.mark.parametrize(
    "name", ["", "Lakeside", "私房菜", "Steamboats", "Port Teaches", "港式茶餐厅", "Pool Hall", "\0", "(Tea)"]
)
def test_the_type_draws_a_shop_whose_name_says_no_more(name: str) -> None:
    assert subjects.find(name, "") == ""
    for slug in (*scene.MOTIFS_BY_TYPE, "unheard-of"):
        fitting = scene.MOTIFS_BY_TYPE.get(slug, scene.MOTIFS_BY_TYPE["food"])
        assert motif_of(name, slug=slug) in fitting


def test_both_names_of_every_kind_of_shop_say_the_same() -> None:
    flavours = (*FLAVOURS, *(pair for city in places.CITIES for pair in city.flavours))
    for kind in KINDS:
        for english, chinese in kind.cores:
            found = subjects.find(english, chinese)
            assert found == subjects.find("", chinese) or english in {"Bath House", "Jazz Cellar"}, english
            assert found or english in {"Private Kitchen", "Bar", "Beauty Corner"}, english
            for word, word_zh in flavours:
                named = subjects.find(f"{word} {english} (Tea Street)", f"{word_zh}{chinese}（面馆街店）")
                assert named == found, (word, english)


def looks(slug: str, names: Sequence[str]) -> list[Look]:
    return [scene.choose_look(slug, name, "", number) for number, name in enumerate(names)]


@pytest.mark.parametrize("slug", ["nails", "food", "unheard-of"])
def test_no_two_neighbours_of_a_list_look_the_same(slug: str) -> None:
    found = list[Look]()
    for look in looks(slug, ["Noodle House"] * 200):
        found.append(scene.recolour(slug, look, found[-cards.COLUMNS :]))
    for place, look in enumerate(found):
        assert look not in found[max(0, place - cards.COLUMNS) : place]


def test_a_shop_alone_has_colours_of_its_type() -> None:
    assert {look.colours for look in looks("ktv", ["KTV"] * 60)} == {4, 3, 2}
    look = Look("bowl", 0)
    assert scene.recolour("food", look, [Look("bowl", 1), Look("cup", 0)]) == look
    assert scene.recolour("food", look, [Look("bowl", number) for number in range(8)]) == look


@pytest.mark.django_db
def test_a_list_names_the_colours_of_a_cover(client: Client) -> None:
    shops = ShopFactory.create_batch(9, name_en="Noodle House", type__slug="food")
    addresses = cards.cover_addresses(shops)
    other = next(address for address in addresses if "?colours=" in address)
    plain, _query, number = other.partition("?colours=")
    assert client.get(other).content != client.get(plain).content
    assert client.get(other)["ETag"] != client.get(plain)["ETag"]
    shop = next(shop for shop in shops if shop.cover_url == plain)
    assert client.get(other).content.decode() == scene.draw(shop.look._replace(colours=int(number)), shop.pk)
    for wrong in ("", "8", "-1", "x", "٣", "9" * 30):
        assert client.get(plain, {"colours": wrong}).content == client.get(plain).content


@pytest.mark.django_db
def test_a_renamed_shop_has_another_cover(client: Client) -> None:
    shop: Shop = ShopFactory.create(name_en="Corner Bakery")
    assert shop.look.motif in {"bread", "cake_slice"}
    shop.name_en = "Corner Pool"
    assert shop.look.motif == "pool"
