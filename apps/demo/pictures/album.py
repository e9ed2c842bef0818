"""The pictures that suit a type of shop, as they are kept: a large one and one for cards."""

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
    """What is painted, where, lying or standing; `take` tells two of the same kind apart."""

    paint: Paint
    mood: Mood
    wide: bool = True
    take: int = 0


@dataclass(frozen=True)
class Print:
    """A drawn motif: WebP files and the pixels of the large one."""

    large: bytes
    card: bytes
    width: int
    height: int


BOWL, PETALS = Motif(dishes.noodles, CREAM), Motif(care.foot_bath, WINE)
TEA, STONES = Motif(drinks.tea, LAKE, wide=False), Motif(care.stones, ROSE)
COCKTAIL = Motif(drinks.cocktail, WINE)
MOTIFS: dict[str, tuple[Motif, ...]] = {
    "food": (
        BOWL, Motif(dishes.dumplings, LAKE, wide=False), Motif(dishes.feast, CREAM),
        Motif(dishes.hot_pot, WOOD),
        Motif(dishes.fish, WINE), Motif(dishes.noodles, PERSIMMON, wide=False), Motif(dishes.cakes, ROSE),
        Motif(dishes.skewers, WOOD), Motif(drinks.dining_room, WOOD, wide=False),
        Motif(dishes.feast, LEAF, wide=False),
        Motif(dishes.dumplings, NIGHT), TEA, Motif(dishes.hot_pot, SKY, wide=False),
        Motif(drinks.coffee, CREAM),
        Motif(dishes.noodles, LAKE, take=1),
    ),
    "ktv": (
        Motif(play.microphone, NIGHT), Motif(play.song_room, NIGHT),
        Motif(play.microphone, WINE, wide=False),
        Motif(play.song_room, WINE, wide=False), COCKTAIL,
    ),
    "hair": (
        Motif(care.salon, WINE), Motif(care.scissors, ROSE), Motif(care.salon, LAKE, wide=False),
        Motif(care.salon, CREAM),
    ),
    "massage": (PETALS, STONES, TEA, Motif(care.foot_bath, LAKE, wide=False),
    Motif(care.stones, SKY, wide=False)),
    "fitness": (
        Motif(sport.weights, SKY), Motif(sport.climbing, CREAM), Motif(sport.pool, SKY),
        Motif(sport.climbing, LEAF, wide=False), Motif(sport.weights, ROSE, wide=False),
    ),
    "spa": (Motif(care.hot_spring, NIGHT), STONES, Motif(care.hot_spring, LEAF, wide=False), PETALS),
    "kids": (
        Motif(play.ball_pit, ROSE), Motif(play.blocks, LEAF, wide=False),
        Motif(play.ball_pit, LAKE, wide=False),
        Motif(play.blocks, PERSIMMON),
    ),
    "bar": (
        COCKTAIL, Motif(drinks.beer, CREAM), Motif(drinks.shelf, WINE),
        Motif(drinks.cocktail, NIGHT, wide=False),
        Motif(drinks.beer, LEAF, wide=False), Motif(drinks.shelf, LAKE, wide=False),
    ),
    "party": (
        Motif(play.party, NIGHT), Motif(dishes.game_night, SKY), Motif(play.party, WINE, wide=False),
        Motif(dishes.game_night, WOOD), Motif(play.song_room, NIGHT),
    ),
    "nails": (
        Motif(care.nails, CREAM), Motif(care.lacquers, NIGHT), Motif(care.nails, PERSIMMON, wide=False),
        Motif(care.lacquers, LAKE, wide=False), Motif(care.nails, SKY, take=1),
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
    motif.paint(canvas, motif.mood, Random(f"{motif.paint.__name__}:{motif.mood.top}:{motif.take}"))
    large = canvas.picture()
    card = large.resize((photos.CARD, photos.CARD * large.height // large.width), reducing_gap=2.0)
    return Print(_webp(large), _webp(card), large.width, large.height)


def _webp(image: Image.Image) -> bytes:
    # Four times as fast as the default, which matters while somebody waits for the first start.
    file = BytesIO()
    image.save(file, "WEBP", quality=80, method=1)
    return file.getvalue()
