"""Chooses what shops show of themselves: a picture for lists, and for some of the first ones an album."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain, product
from math import cos, hypot, radians

from apps.accounts.pictures import files
from apps.demo import photographs
from apps.demo.photographs import Photograph
from apps.demo.places import CITIES
from apps.demo.social import note_texts
from apps.shops import photos
from apps.shops.models import Shop, ShopPhoto
from apps.shops.views import MAX_HOME_SHOPS

#: The folder of the pictures of shops in the storage.
FOLDER = "shops"
#: How many photos the first shops have in their albums, in turn.
ALBUM_SIZES, SHOPS_WITH_ALBUMS = (0, 2, 0, 1, 3, 0, 5), 60


def give_pictures(shops: Sequence[Shop]) -> None:
    """Give unsaved shops a picture: none is given twice in a city, so some shops have none.

    A shop for which each fitting photograph is taken gets a closer view of one, if one is left.
    """
    taken = defaultdict[str, set[str]](set)
    for city, path in Shop.objects.exclude(picture="").values_list("city_en", "picture"):
        taken[city].add(path or "")
    for shop in _in_order_of_lists(shops):
        for closer, photo in product((False, True), of_shop(shop)):
            path = files.file_path(FOLDER, photo.stored_name(FOLDER, closer=closer))
            if path not in taken[shop.city_en]:
                taken[shop.city_en].add(path)
                shop.picture = photographs.store_for_rows(photo, FOLDER, closer=closer)
                break


def _in_order_of_lists(shops: Sequence[Shop]) -> Iterable[Shop]:
    """Shops of the middle of their city and of small numbers in turn: lists begin with the one, and rankings
    with the other, of which most is written.
    """
    middle = sorted(shops, key=distance_to_middle)
    return dict.fromkeys(chain.from_iterable(zip(middle, shops, strict=True)))


def of_shop(shop: Shop) -> list[Photograph]:
    """The photographs that fit a shop."""
    return photographs.of_theme(note_texts.theme_of_shop(shop))


def not_of_itself(shop: Shop) -> list[Photograph]:
    """The photographs that fit a shop and that it doesn't show of itself: what people photograph there.

    Those that look like its own are left out, unless there are no others: its page shows both side by side.
    """
    own = [one for one in (find_picture(shop), *choose_album(shop)) if one]
    others = [one for one in of_shop(shop) if one not in own]
    scenes = {one.scene for one in own}
    return [one for one in others if one.scene not in scenes] or others


def find_picture(shop: Shop) -> Photograph | None:
    """What the picture of a shop shows."""
    return photographs.find_stored(shop.picture.name or "", FOLDER)


def shown_at_home() -> dict[str, set[str]]:
    """English name of a city -> the photographs of the shops in its middle, which its home page lists."""
    found = defaultdict[str, set[str]](set)
    for city in CITIES:
        shops = sorted(Shop.objects.filter(city_en=city.name[0]), key=distance_to_middle)
        pictures = map(find_picture, shops[:MAX_HOME_SHOPS])
        found[city.name[0]].update(one.name for one in pictures if one)
    return found


def choose_album(shop: Shop) -> list[Photograph]:
    """The photographs of a shop's album, no two alike: half of those that fit at most, as others are for
    people's notes.
    """
    if shop.pk > SHOPS_WITH_ALBUMS:
        return []
    picture = find_picture(shop)
    others = photographs.no_two_alike(of_shop(shop), beside=[picture] if picture else [])
    return others[: min((len(others) + 1) // 2, ALBUM_SIZES[shop.pk % len(ALBUM_SIZES)])]


def make(count: int, *, seed: int) -> int:
    """Create the albums of shops without one; returns how many photos are new."""
    numbers = range(1, min(count, SHOPS_WITH_ALBUMS) + 1)
    shops = Shop.objects.filter(pk__in=numbers, photos=None).select_related("type").order_by("pk")
    made = ShopPhoto.objects.bulk_create(photo for shop in shops for photo in _build_photos(shop, seed))
    return len(made)


def distance_to_middle(shop: Shop) -> float:
    city = next(city for city in CITIES if city.name[0] == shop.city_en)
    return hypot(shop.lat - city.lat, (shop.lng - city.lng) * cos(radians(city.lat)))


def _build_photos(shop: Shop, seed: int) -> Iterator[ShopPhoto]:
    for position, photo in enumerate(choose_album(shop)):
        name = sha256(f"{seed}:shop:{shop.pk}:{position}".encode()).hexdigest()[:32]
        drawn = photographs.prepare(photo)
        for suffix, content in (("", drawn.large), ("-card", drawn.card)):
            photographs.store_file(files.file_path(photos.FOLDER, f"{name}{suffix}"), content)
        texts = {"caption_en": photo.alt[0], "caption_zh": photo.alt[1]}
        size = {"width": drawn.width, "height": drawn.height}
        yield ShopPhoto(shop=shop, name=name, position=position, **texts, **size)
