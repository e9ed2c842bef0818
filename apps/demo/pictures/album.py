"""Renders the pictures that suit a note's theme as WebP files: a large one and a smaller one for cards."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from random import Random

from PIL import Image

from apps.blog.writing import photos
from apps.demo.pictures import care, dishes, drinks, play, sport
from apps.demo.pictures.canvas import Canvas
from apps.demo.pictures.moods import CREAM, LAKE, LEAF, NIGHT, PERSIMMON, ROSE, SKY, WINE, WOOD, Mood

Paint = Callable[[Canvas, Mood, Random], None]


@dataclass(frozen=True)
class Motif:
    """A picture to render: its painter function, its mood (background and colours), landscape or portrait."""

    paint: Paint
    mood: Mood
    wide: bool = True


@dataclass(frozen=True)
class RenderedPicture:
    """A rendered motif: the WebP bytes of both sizes; `width` and `height` are the large one's pixels."""

    large: bytes
    card: bytes
    width: int
    height: int


def _landscape(paint: Paint, *moods: Mood) -> tuple[Motif, ...]:
    return tuple(Motif(paint, mood) for mood in moods)


def _portrait(paint: Paint, *moods: Mood) -> tuple[Motif, ...]:
    return tuple(Motif(paint, mood, wide=False) for mood in moods)


ROOMS = _portrait(drinks.dining_room, WOOD)
COFFEE, COCKTAILS = _landscape(drinks.coffee, CREAM), _landscape(drinks.cocktail, WINE)
STONES = (*_landscape(care.stones, ROSE), *_portrait(care.stones, SKY))
#: Motifs by theme. Consecutive notes of a theme start one motif further, so the order mixes subjects.
MOTIFS: dict[str, tuple[Motif, ...]] = {
    "food": (*_landscape(dishes.feast, CREAM), *ROOMS, *_portrait(dishes.feast, LEAF),
    *_landscape(dishes.feast, WINE)),
    "noodles": (*_landscape(dishes.noodles, CREAM, LAKE), *_portrait(dishes.noodles, PERSIMMON), *ROOMS),
    "dumplings": (*_portrait(dishes.dumplings, LAKE), *_landscape(dishes.dumplings, NIGHT, PERSIMMON)),
    "hot_pot": (*_landscape(dishes.hot_pot, WOOD), *_portrait(dishes.hot_pot, SKY),
    *_landscape(dishes.feast, CREAM)),
    "tea": (*_portrait(drinks.tea, LAKE), *COFFEE, *_landscape(drinks.tea, ROSE),
    *_portrait(drinks.coffee, PERSIMMON)),
    "fish": (*_landscape(dishes.fish, WINE, LAKE), *ROOMS),
    "grill": (*_landscape(dishes.skewers, WOOD), *_portrait(dishes.skewers, CREAM),
    *_landscape(drinks.beer, CREAM)),
    "bakery": (*_landscape(dishes.cakes, ROSE), *_portrait(dishes.cakes, LEAF),
    *COFFEE, *_landscape(dishes.cakes, WOOD)),
    "ktv": (
        *_landscape(play.microphone, NIGHT), *_landscape(play.song_room, NIGHT),
            *_portrait(play.microphone, WINE),
        *_portrait(play.song_room, WINE), *COCKTAILS,
    ),
    "hair": (
        *_landscape(care.salon, WINE), *_landscape(care.scissors, ROSE), *_portrait(care.salon, LAKE),
        *_landscape(care.salon, CREAM), *_portrait(care.scissors, WOOD), *_portrait(care.salon, ROSE),
    ),
    "massage": (*_landscape(care.foot_bath, WINE), *STONES, *_portrait(care.foot_bath, LAKE),
        *_landscape(care.stones, LEAF)),
    "fitness": (*_landscape(sport.weights, SKY), *_portrait(sport.weights, ROSE),
        *_landscape(sport.weights, LAKE)),
    "climbing": (*_landscape(sport.climbing, CREAM), *_portrait(sport.climbing, LEAF),
        *_landscape(sport.climbing, SKY)),
    "pool": (*_landscape(sport.pool, SKY), *_portrait(sport.pool, ROSE)),
    "spa": (
        *_landscape(care.hot_spring, NIGHT), *STONES, *_portrait(care.hot_spring, LEAF),
        *_landscape(care.hot_spring, PERSIMMON),
    ),
    "kids": (
        *_landscape(play.ball_pit, ROSE), *_portrait(play.blocks, LEAF), *_portrait(play.ball_pit, LAKE),
        *_landscape(play.blocks, PERSIMMON), *_landscape(play.ball_pit, SKY), *_landscape(play.blocks, SKY),
    ),
    "bar": (
        *COCKTAILS, *_portrait(drinks.shelf, WINE), *_portrait(drinks.cocktail, NIGHT),
        *_landscape(drinks.shelf, LAKE),
        *_landscape(drinks.cocktail, ROSE),
    ),
    "beer": (*_landscape(drinks.beer, CREAM), *_portrait(drinks.beer, LEAF), *_portrait(drinks.shelf, WINE)),
    "party": (*_landscape(play.party, NIGHT), *_portrait(play.party, WINE),
        *_landscape(play.song_room, NIGHT)),
    "games": (*_landscape(dishes.game_night, SKY), *_portrait(dishes.game_night, WOOD)),
    "nails": (
        *_landscape(care.nails, CREAM), *_landscape(care.lacquers, NIGHT), *_portrait(care.nails, PERSIMMON),
        *_portrait(care.lacquers, LAKE), *_landscape(care.nails, SKY), *_landscape(care.lacquers, ROSE),
        *_portrait(care.nails, LEAF),
    ),
}  # fmt: skip


def render_all(motifs: Sequence[Motif], step: Callable[[int], object]) -> None:
    """Render motifs into `render`'s cache in two parallel threads; calls `step(n)` when n are done."""
    with ThreadPoolExecutor(2) as crew:
        for done, _ in enumerate(crew.map(render, motifs), start=1):
            step(done)


@cache
def render(motif: Motif) -> RenderedPicture:
    """The picture of a motif, cached; the same for every seed of the city. Rendering takes 0.1 s."""
    canvas = Canvas(wide=motif.wide)
    motif.paint(canvas, motif.mood, Random(f"{motif.paint.__name__}:{motif.mood.top}"))
    large = canvas.picture()
    card = large.resize(
        (photos.CARD_PIXELS, photos.CARD_PIXELS * large.height // large.width), reducing_gap=2.0
    )
    return RenderedPicture(_webp(large), _webp(card), large.width, large.height)


def _webp(image: Image.Image) -> bytes:
    # method=1 is four times as fast as the default: the demo's first start waits for every picture.
    file = BytesIO()
    image.save(file, "WEBP", quality=80, method=1)
    return file.getvalue()
