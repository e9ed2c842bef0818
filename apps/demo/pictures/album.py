"""Renders the pictures that suit a note's theme as WebP files: a large one and a smaller one for cards."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from random import Random

from PIL import Image

from apps.accounts.pictures import uploads
from apps.blog.writing import photos
from apps.demo.pictures import care, dishes, drinks, named_things, play, sport
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
    """A rendered motif as WebP, with its cards by their width; `width` and `height` are the large one's."""

    large: bytes
    cards: Mapping[int, bytes]
    width: int
    height: int

    @property
    def card(self) -> bytes:
        """The card of photos."""
        return self.cards[photos.CARD_PIXELS]


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
    "congee": (*_landscape(named_things.rice_bowl, CREAM, LEAF), *ROOMS),
    "duck": (*_landscape(named_things.roast_duck, LAKE, PERSIMMON), *_landscape(dishes.feast, CREAM), *ROOMS),
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
    "boxing": _landscape(named_things.boxing_gloves, SKY, CREAM),
    "yoga": (*_landscape(named_things.yoga_mat, LEAF), *_portrait(named_things.yoga_mat, LAKE)),
    "badminton": _landscape(named_things.badminton, SKY, LEAF),
    "pool": (*_landscape(sport.pool, SKY), *_portrait(sport.pool, ROSE)),
    "spa": (*STONES, *_landscape(care.stones, LEAF), *_landscape(care.hot_spring, NIGHT)),
    "hot_spring": (
        *_landscape(care.hot_spring, NIGHT), *_portrait(care.hot_spring, LEAF),
        *_landscape(care.hot_spring, PERSIMMON),
    ),
    "skin": STONES,
    "kids": (
        *_landscape(play.ball_pit, ROSE), *_portrait(play.blocks, LEAF), *_portrait(play.ball_pit, LAKE),
        *_landscape(play.blocks, PERSIMMON), *_landscape(play.ball_pit, SKY), *_landscape(play.blocks, SKY),
    ),
    "trampoline": (*_landscape(named_things.trampoline, SKY, ROSE), *_landscape(play.ball_pit, SKY)),
    "books": _landscape(named_things.books, CREAM, LAKE),
    "clay": _landscape(named_things.pottery, LEAF, ROSE),
    "bar": (
        *COCKTAILS, *_portrait(drinks.shelf, WINE), *_portrait(drinks.cocktail, NIGHT),
        *_landscape(drinks.shelf, LAKE),
        *_landscape(drinks.cocktail, ROSE),
    ),
    "beer": (*_landscape(drinks.beer, CREAM), *_portrait(drinks.beer, LEAF), *_portrait(drinks.shelf, WINE)),
    "party": (*_landscape(play.party, NIGHT), *_portrait(play.party, WINE),
        *_landscape(play.song_room, NIGHT)),
    "games": (*_landscape(dishes.game_night, SKY), *_portrait(dishes.game_night, WOOD)),
    "escape": _landscape(named_things.keyhole, NIGHT, WINE),
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
    cards = {
        width: _webp(large.resize((width, width * large.height // large.width), reducing_gap=2.0))
        for width in (photos.CARD_PIXELS, uploads.ROW_PIXELS)
    }
    return RenderedPicture(_webp(large), cards, large.width, large.height)


def _webp(image: Image.Image) -> bytes:
    # method=1 is four times as fast as the default: the demo's first start waits for every picture.
    file = BytesIO()
    image.save(file, "WEBP", quality=80, method=1)
    return file.getvalue()
