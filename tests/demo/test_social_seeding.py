"""What the demo's people write fits their shops, and so does what coupons say."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from django.urls import resolve

from apps.accounts.profiles import avatars
from apps.demo import people, vouchers
from apps.demo.shop_kinds import ABOUTS_BY_CORE, KINDS
from apps.demo.social import note_texts, reactions, roles
from apps.demo.social.note_texts import CHINESE, ENGLISH
from apps.shops.covers import subjects
from apps.shops.models import Shop, ShopType
from apps.web import readings

#: Theme -> the type's slug of its shops, by the names of the demo's shops.
SLUGS = {
    note_texts.theme_of_shop(Shop(type=ShopType(slug=kind.slug), name_en=core, name_zh=core_zh)): kind.slug
    for kind in KINDS
    for core, core_zh in kind.cores
}
#: Subjects that a text may name beside its own theme's: it is served at many places, or means another thing.
EVERYWHERE = frozenset({"tea", "coffee", "books"})
ALSO = {
    "tea": {"cake"},
    "grill": {"beer"},
    "bakery": {"cake"},
    "coffee": {"bakery", "cake"},
    "sweets": {"cake", "ice_cream"},
    "sushi": {"fish"},
    "beer": {"bakery"},
    "ktv": {"karaoke"},
    "hair": {"barber"},
    "massage": {"foot_bath", "gym"},
    "fitness": {"hair"},
    "climbing": {"noodles"},
    "pool": {"hair"},
    "spa": {"bath"},
    "kids": {"cake"},
    "trampoline": {"cake"},
    "bar": {"jazz", "whisky"},
    "party": {"cake"},
    "games": {"board_games"},
}
#: Words of the places where they belong, that no subject has: a pattern -> types' slugs or themes.
BELONGS = {
    r"broth|汤头|汤底": {"noodles", "hot_pot", "congee"},
    r"lemon|柠檬": {"bakery", "coffee"},
    r"portion|分量|味道|hungry|饿|without meat|素菜|menu\b": {"food"},
    r"table by the window|靠窗": {"food", "bar"},
    r"queue down the stairs|七点以后": {"food"},
    r"squat|深蹲|locker|柜子": {"fitness"},
    r"lanes?\b|泳道": {"pool"},
    r"microphone|麦克风|回声|\becho\b": {"ktv", "bar"},
    r"scissors|剪刀|fringe|刘海|perm\b": {"hair"},
    r"route|线路|绿色线|蓝色": {"climbing"},
    r"ball pit|海洋球|slide|滑滑梯|socks?\b|袜": {"kids"},
    r"balloon|气球": {"party"},
    r"steamer|笼": {"dumplings", "hot_spring"},
    r"\blocks?\b|密室": {"escape"},
    r"skewer|烤串|cumin|孜然": {"grill", "bar"},
    r"duck\b|鸭": {"duck"},
}


def texts_of(theme: str) -> Iterator[str]:
    """Everything that may be written about a shop of a theme, in both languages."""
    slug = SLUGS[theme]
    for voice in (ENGLISH, CHINESE):
        yield from voice.titles[theme]
        yield from voice.details[theme]
        for some in (voice.openings, voice.grumbles, voice.closings):
            yield from note_texts.fitting(some, slug)
    for language, found in reactions.TEXTS.items():
        yield from reactions.comments_of(language, slug)
        yield from found["replies"]
    for offer in vouchers.OFFERS[theme]:
        yield from (*offer["title"], *offer["subtitle"])
    for kind in KINDS:
        for core, core_zh in kind.cores:
            shop = Shop(type=ShopType(slug=kind.slug), name_en=core, name_zh=core_zh)
            if note_texts.theme_of_shop(shop) == theme:
                yield from (text for pair in kind.abouts_of(core) for text in pair)


def test_every_shop_has_words() -> None:
    themes = SLUGS.keys()
    for voice in (ENGLISH, CHINESE):
        assert voice.details.keys() == voice.titles.keys() == themes
        # Two or three of them make a note.
        assert all(len(voice.details[theme]) >= 3 and len(voice.titles[theme]) >= 2 for theme in themes)
    assert note_texts.TOPICS.keys() == vouchers.OFFERS.keys() == themes
    assert {*note_texts.THEMES.values()} <= themes
    assert ABOUTS_BY_CORE.keys() <= {core for kind in KINDS for core, _ in kind.cores}


@pytest.mark.parametrize("theme", SLUGS)
def test_what_is_written_fits_the_kind_of_the_shop(theme: str) -> None:
    slug = SLUGS[theme]
    allowed = EVERYWHERE | {theme, slug} | ALSO.get(theme, set())
    for text in texts_of(theme):
        assert {*subjects.find_all(text)} <= allowed, text
        for pattern, places in BELONGS.items():
            if re.search(pattern, text, re.IGNORECASE):
                assert places & {theme, slug}, (pattern, text)


@pytest.mark.parametrize("chinese", [True, False])
def test_who_writes_in_a_language_has_a_name_in_it(chinese: bool) -> None:
    writers = [people.find_writer(number, chinese=chinese) for number in range(roles.AUTHOR_COUNT)]
    names = [people._build_person(writer, 1).nickname for writer in writers]
    assert {readings.has_chinese(name) for name in names} == {chinese}
    regulars = set(writers[: roles.REGULAR_COUNT])
    assert regulars < set(range(roles.REGULAR_COUNT))
    assert len(regulars) == roles.REGULAR_COUNT // 3 * (1 if chinese else 2)


def test_the_drawn_faces_differ_and_are_small() -> None:
    faces = [(avatars.FACES_FOLDER / f"{name}.svg").read_text() for name in avatars.FACES]
    assert len(set(faces)) == 24
    for face in faces:
        assert ElementTree.fromstring(face).get("viewBox") == "0 0 96 96"
        assert len(face) < 6_000
        assert not re.search("<text|<script|<style|href|url\\(| on", face)


def test_three_people_in_four_show_a_face_of_their_own_file() -> None:
    shown = [people._build_person(number, 1).avatar.name for number in range(people.PEOPLE_COUNT)]
    assert shown.count("") == people.PEOPLE_COUNT // 4
    files = [name for name in shown if name]
    assert len(set(files)) == len(files)
    for name in files:
        assert resolve(f"/media/{name}").view_name == "accounts:avatar"
