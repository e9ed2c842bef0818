"""The pictures that suit a theme, as they are kept: a large one and one for cards."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from random import Random

from PIL import Image

from apps.blog import photos
from apps.demo.pictures import care, dishes, drinks, play, sport
from apps.demo.pictures.canvas import Canvas
from apps.demo.pictures.moods import CREAM, LAKE, LEAF, NIGHT, PERSIMMON, ROSE, SKY, WINE, WOOD, Mood

Paint = Callable[[Canvas, Mood, Random], None]


@dataclass(frozen=True)
class Motif:
    """What is painted, where, lying or standing."""

    paint: Paint
    mood: Mood
    wide: bool = True


@dataclass(frozen=True)
class Print:
    """A drawn motif: WebP files and the pixels of the large one."""

    large: bytes
    card: bytes
    width: int
    height: int


def _lying(paint: Paint, *moods: Mood) -> tuple[Motif, ...]:
    return tuple(Motif(paint, mood) for mood in moods)


def _standing(paint: Paint, *moods: Mood) -> tuple[Motif, ...]:
    return tuple(Motif(paint, mood, wide=False) for mood in moods)


ROOMS = _standing(drinks.dining_room, WOOD)
COFFEE, COCKTAILS = _lying(drinks.coffee, CREAM), _lying(drinks.cocktail, WINE)
STONES = (*_lying(care.stones, ROSE), *_standing(care.stones, SKY))
#: By theme. The order mixes kinds: notes take turns.
MOTIFS: dict[str, tuple[Motif, ...]] = {
    "food": (*_lying(dishes.feast, CREAM), *ROOMS, *_standing(dishes.feast, LEAF),
    *_lying(dishes.feast, WINE)),
    "noodles": (*_lying(dishes.noodles, CREAM, LAKE), *_standing(dishes.noodles, PERSIMMON), *ROOMS),
    "dumplings": (*_standing(dishes.dumplings, LAKE), *_lying(dishes.dumplings, NIGHT, PERSIMMON)),
    "hot_pot": (*_lying(dishes.hot_pot, WOOD), *_standing(dishes.hot_pot, SKY),
    *_lying(dishes.feast, CREAM)),
    "tea": (*_standing(drinks.tea, LAKE), *COFFEE, *_lying(drinks.tea, ROSE),
    *_standing(drinks.coffee, PERSIMMON)),
    "fish": (*_lying(dishes.fish, WINE, LAKE), *ROOMS),
    "grill": (*_lying(dishes.skewers, WOOD), *_standing(dishes.skewers, CREAM),
    *_lying(drinks.beer, CREAM)),
    "bakery": (*_lying(dishes.cakes, ROSE), *_standing(dishes.cakes, LEAF),
    *COFFEE, *_lying(dishes.cakes, WOOD)),
    "ktv": (
        *_lying(play.microphone, NIGHT), *_lying(play.song_room, NIGHT), *_standing(play.microphone, WINE),
        *_standing(play.song_room, WINE), *COCKTAILS,
    ),
    "hair": (
        *_lying(care.salon, WINE), *_lying(care.scissors, ROSE), *_standing(care.salon, LAKE),
        *_lying(care.salon, CREAM), *_standing(care.scissors, WOOD), *_standing(care.salon, ROSE),
    ),
    "massage": (*_lying(care.foot_bath, WINE), *STONES, *_standing(care.foot_bath, LAKE),
    *_lying(care.stones, LEAF)),
    "fitness": (*_lying(sport.weights, SKY), *_standing(sport.weights, ROSE), *_lying(sport.weights, LAKE)),
    "climbing": (*_lying(sport.climbing, CREAM), *_standing(sport.climbing, LEAF),
    *_lying(sport.climbing, SKY)),
    "pool": (*_lying(sport.pool, SKY), *_standing(sport.pool, ROSE)),
    "spa": (
        *_lying(care.hot_spring, NIGHT), *STONES, *_standing(care.hot_spring, LEAF),
        *_lying(care.hot_spring, PERSIMMON),
    ),
    "kids": (
        *_lying(play.ball_pit, ROSE), *_standing(play.blocks, LEAF), *_standing(play.ball_pit, LAKE),
        *_lying(play.blocks, PERSIMMON), *_lying(play.ball_pit, SKY), *_lying(play.blocks, SKY),
    ),
    "bar": (
        *COCKTAILS, *_standing(drinks.shelf, WINE), *_standing(drinks.cocktail, NIGHT),
        *_lying(drinks.shelf, LAKE),
        *_lying(drinks.cocktail, ROSE),
    ),
    "beer": (*_lying(drinks.beer, CREAM), *_standing(drinks.beer, LEAF), *_standing(drinks.shelf, WINE)),
    "party": (*_lying(play.party, NIGHT), *_standing(play.party, WINE), *_lying(play.song_room, NIGHT)),
    "games": (*_lying(dishes.game_night, SKY), *_standing(dishes.game_night, WOOD)),
    "nails": (
        *_lying(care.nails, CREAM), *_lying(care.lacquers, NIGHT), *_standing(care.nails, PERSIMMON),
        *_standing(care.lacquers, LAKE), *_lying(care.nails, SKY), *_lying(care.lacquers, ROSE),
        *_standing(care.nails, LEAF),
    ),
}  # fmt: skip


def draw(motifs: Sequence[Motif], step: Callable[[int], object]) -> None:
    """Draw these ahead, on two cores; `step(n)` when n are done."""
    with ThreadPoolExecutor(2) as crew:
        for done, _ in enumerate(crew.map(drawn, motifs), start=1):
            step(done)


@cache
def drawn(motif: Motif) -> Print:
    """A motif always looks the same, whatever the seed of the city: a tenth of a second."""
    canvas = Canvas(wide=motif.wide)
    motif.paint(canvas, motif.mood, Random(f"{motif.paint.__name__}:{motif.mood.top}"))
    large = canvas.picture()
    card = large.resize((photos.CARD, photos.CARD * large.height // large.width), reducing_gap=2.0)
    return Print(_webp(large), _webp(card), large.width, large.height)


def _webp(image: Image.Image) -> bytes:
    # Four times as fast as the default, which matters while somebody waits for the first start.
    file = BytesIO()
    image.save(file, "WEBP", quality=80, method=1)
    return file.getvalue()
