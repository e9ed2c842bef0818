"""Makes the demo's short notes: a few words with stars, so that shops have the numbers of a city in use."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from random import Random

from apps.blog import heat
from apps.blog.models import Dish, Note
from apps.blog.writing import dishes
from apps.demo.social import menus, note_texts, roles
from apps.shops.models import SCORES, Shop

#: Shops up to this number have short notes; so many at most, and none younger than the notes with pictures.
REVIEWED_SHOPS, MAX_REVIEWS = 500, 40
YOUNGEST, OLDEST = timedelta(days=30), timedelta(days=400)


def make(count: int, told_of: Collection[int], *, seed: int, now: datetime) -> list[Note]:
    """Create the short notes of shops without notes, in a few statements; returns them."""
    shops = Shop.objects.filter(pk__lte=min(count, REVIEWED_SHOPS)).exclude(pk__in=told_of)
    authors = roles.Roles.load()
    notes, named = list[Note](), list[tuple[str, ...]]()
    for shop in shops.select_related("type").order_by("pk"):
        chance = Random(f"{seed}:reviews:{shop.pk}")
        for number in range(min(MAX_REVIEWS, int(3 * chance.paretovariate(0.9)))):
            author_id = authors.author(chance, chinese=note_texts.is_chinese(number))
            notes.append(_build_note(shop, number, author_id, chance, now))
            named.append(menus.choose_dishes(note_texts.theme_of_shop(shop), chance))
    created = Note.objects.bulk_create(notes, batch_size=1_000)
    name_dishes(created, named)
    return created


def score(rating: int, chance: Random) -> dict[str, int]:
    """The scores beside so many stars; half of the notes give none."""
    if chance.random() < 0.5:
        return {}
    return {name: min(5, max(1, rating + chance.choice((-1, 0, 0, 0, 1)))) for name in SCORES}


def name_dishes(notes: Sequence[Note], named: Sequence[Sequence[str]]) -> None:
    """Let each note name its dishes, in a few statements; recounting the shops counts them."""
    pairs = [(note, name) for note, names in zip(notes, named, strict=True) for name in names]
    wanted = {(note.shop_id, dishes.fold(name)): name for note, name in pairs}
    Dish.objects.bulk_create(
        (Dish(shop_id=shop_id, name=name, folded=folded) for (shop_id, folded), name in wanted.items()),
        ignore_conflicts=True,
    )
    rows = Dish.objects.filter(shop__in={shop_id for shop_id, _folded in wanted})
    ids = {(dish.shop_id, dish.folded): dish.pk for dish in rows}
    through = Note.dishes.through
    through._default_manager.bulk_create(
        through(note_id=note.pk, dish_id=ids[note.shop_id, dishes.fold(name)]) for note, name in pairs
    )


def _build_note(shop: Shop, number: int, author_id: int, chance: Random, now: datetime) -> Note:
    rating = min(5, max(1, round(chance.gauss(shop.imported_rating / 10, 0.8))))
    at = (now - YOUNGEST - (OLDEST - YOUNGEST) * chance.random()).replace(microsecond=0)
    return Note(
        author_id=author_id,
        shop=shop,
        text=note_texts.write_review(shop, rating, chance, chinese=note_texts.is_chinese(number)),
        rating=rating,
        status=Note.Status.PUBLISHED,
        published_at=at,
        # Too old for anybody's feed to be told.
        pushed_at=at,
        heat=heat.score(0, at),
        **score(rating, chance),
    )
