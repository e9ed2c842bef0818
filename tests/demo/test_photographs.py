"""The demo's photographs: each is there, used, described in both languages, and stands once on a screen."""

import tomllib
from collections import Counter, defaultdict
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import pytest
from PIL import Image

from apps.demo import people, photographs, sales, shops, vouchers
from apps.demo.city import DEFAULT_SEED, DEFAULT_SHOPS
from apps.demo.photographs import CATALOGUE, Photograph
from apps.demo.shop_kinds import CYCLE
from apps.demo.social import note_texts, notes, own_photos
from apps.shops.models import Shop, ShopPhoto
from apps.web import in_language

#: Cards on a large screen.
SCREEN = 12
KILOBYTE = 1_000


def test_every_file_is_described_and_small() -> None:
    assert {path.stem for path in photographs.FOLDER.glob("*.webp")} == CATALOGUE.keys()
    sizes = [photo.path.stat().st_size for photo in CATALOGUE.values()]
    assert max(sizes) <= 70 * KILOBYTE
    assert sum(sizes) <= 6_000 * KILOBYTE
    for photo in CATALOGUE.values():
        with Image.open(photo.path) as image:
            assert (image.format, image.size) == ("WEBP", (960, 720)), photo.name


@pytest.mark.parametrize("photo", CATALOGUE.values(), ids=lambda photo: photo.name)
def test_every_photograph_says_what_it_shows_in_both_languages(photo: Photograph) -> None:
    longest = ShopPhoto._meta.get_field("caption_en").max_length
    assert longest
    for english, chinese in (photo.words, photo.alt):
        assert in_language.language_of(english) == "en"
        assert in_language.language_of(chinese) == "zh-Hans"
        assert 4 < len(english) <= longest
        assert 2 < len(chinese) <= longest
    assert photo.shows in {"dish", "room", "front"}
    assert photo.themes
    assert set(photo.themes) <= note_texts.TOPICS.keys()
    assert bool(photo.dishes) == (photo.shows == "dish")
    served = {dish for theme in photo.themes for dish in note_texts.MENUS[theme]}
    assert set(photo.dishes) <= served


def test_no_two_photographs_are_described_alike() -> None:
    for number in (0, 1):
        assert max(Counter(photo.alt[number] for photo in CATALOGUE.values()).values()) == 1


def test_every_coupon_shows_the_dish_that_it_sells() -> None:
    for theme, offers in vouchers.OFFERS.items():
        pictured = {dish for photo in photographs.of_theme(theme) for dish in photo.dishes}
        for offer in offers:
            assert offer["dish"] in {"", *note_texts.MENUS[theme]}, offer
            assert not offer["dish"] or offer["dish"] in pictured, offer
    for content in sales.CONTENTS.values():
        assert content.photo in CATALOGUE
    assert len({content.photo for content in sales.CONTENTS.values()}) == len(sales.CONTENTS)


@pytest.fixture
def city(db: None) -> list[Shop]:
    shops.make(DEFAULT_SHOPS, seed=DEFAULT_SEED, step=lambda _batch: None)
    people.make(DEFAULT_SEED)
    return list(Shop.objects.select_related("type").order_by("pk"))


@pytest.mark.wide
def test_every_photograph_is_used_and_no_list_repeats_one_within_a_screen(city: list[Shop]) -> None:
    pictured = [(shop.city_en, photo.name) for shop in city if (photo := own_photos.find_picture(shop))]
    # No list has shops of two cities. A photograph stands there once as it is, and once from nearer.
    files = [(shop.city_en, shop.picture.name) for shop in city if shop.picture]
    assert max(Counter(files).values()) == 1
    assert max(Counter(pictured).values()) == 2
    # Rankings begin with the first of each type, and lists with the shops in the middle of their city.
    assert sum(not shop.picture for shop in city[: len(CYCLE) * 3]) <= 2
    for name, shops_of_city in groupby(sorted(city, key=attrgetter("city_en")), key=attrgetter("city_en")):
        nearest = sorted(shops_of_city, key=own_photos.distance_to_middle)[: SCREEN * 2]
        assert all(shop.picture for shop in nearest), name
    plans = notes.plan_all(DEFAULT_SHOPS, DEFAULT_SEED)
    assert {len(plan.photos) for plan in plans} >= {0, 1, 2, 3, 5, 9}
    firsts = [plan.photos[0].name if plan.photos else "" for plan in plans]
    at_home = own_photos.shown_at_home()
    assert all(at_home.values())
    # The home page lists the hot notes of a city above the shops in its middle.
    assert not [
        first for plan, first in zip(plans, firsts, strict=True) if first in at_home[plan.shop.city_en]
    ]
    by_theme = defaultdict[str, list[str]](list)
    for plan, first in zip(plans, firsts, strict=True):
        by_theme[note_texts.theme_of_shop(plan.shop)].append(first)
    # All notes by their time, and those of a topic.
    for listed in (firsts, *by_theme.values()):
        for place in range(len(listed)):
            on_screen = [name for name in listed[place : place + SCREEN] if name]
            assert len(set(on_screen)) == len(on_screen)
    sold = [photo for shop in city for photo in vouchers.choose_photos(shop)]
    shown = {name for _city, name in pictured} | {photo.name for plan in plans for photo in plan.photos}
    assert shown | {photo.name for photo in sold if photo} == CATALOGUE.keys()


@pytest.mark.wide
def test_people_photograph_what_the_shop_does_not_show_of_itself(city: list[Shop]) -> None:
    shop_of = {shop.pk: shop for shop in city}
    for plan in notes.plan_all(DEFAULT_SHOPS, DEFAULT_SEED):
        shop = shop_of[plan.shop.pk]
        theirs = {own_photos.find_picture(shop), *own_photos.choose_album(shop)}
        assert not theirs & set(plan.photos)
        assert len(set(plan.photos)) == len(plan.photos)
        of_dishes = [one for one in plan.photos if set(plan.dishes) & set(one.dishes)]
        fitting = [one for one in own_photos.not_of_itself(shop) if set(plan.dishes) & set(one.dishes)]
        # One that stood first in another note comes second.
        assert not fitting or len(plan.photos) < 2 or of_dishes


def test_nobody_sees_a_picture_twice_among_a_shops_coupons(city: list[Shop]) -> None:
    for shop in city:
        chosen = [photo for photo in vouchers.choose_photos(shop) if photo]
        assert len(set(chosen)) == len(chosen)


def test_every_photograph_can_be_rendered_again() -> None:
    lab = Path(__file__).parents[2] / "lab" / "pictures"
    pictures = tomllib.loads((lab / "pictures.toml").read_text(encoding="utf-8"))
    assert pictures.keys() == CATALOGUE.keys()
    scenes = {path.stem for path in (lab / "scenes").glob("*.py")} - {"__init__"}
    assert {row["scene"] for row in pictures.values()} == scenes
