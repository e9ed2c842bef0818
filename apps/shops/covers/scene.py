"""Chooses the drawn cover of a shop, which fits its name or its type, and recolours it.

The drawings are files: `drawings/<motif>-<number>.svg`, 400 by 300, in the colours of the first palette.
Their backgrounds go on to both sides, for a frame that is wider than a card.
"""

import re
from collections.abc import Collection
from dataclasses import astuple, dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from apps.shops.covers import subjects

#: Palettes that suit a shop's type: warm for food, violet for karaoke.
PALETTES_BY_TYPE = {
    "food": (0, 5, 7, 1, 0),
    "ktv": (4, 3, 2),
    "hair": (3, 6, 7, 0),
    "massage": (1, 7, 6),
    "fitness": (2, 0, 6, 5),
    "spa": (6, 1, 7),
    "kids": (5, 2, 3, 1),
    "bar": (7, 4, 0, 6),
    "party": (3, 4, 5, 0),
    "nails": (3, 4, 0, 6),
}
#: Increase it when the drawings change, so that browsers fetch them again.
DRAWING_VERSION = 4
#: Pixels of the PNG, at which previews show a picture large.
PNG_WIDTH = 1200
MOTIFS_BY_SUBJECT: dict[str, tuple[str, ...]] = {
    "coffee": ("cup",),
    "bakery": ("bread", "cake_slice"),
    "cake": ("cake_slice",),
    "ice_cream": ("ice_cream",),
    "tea": ("teapot",),
    "noodles": ("bowl",),
    "dumplings": ("steamer",),
    "hot_pot": ("hot_pot",),
    "duck": ("roast_duck",),
    "grill": ("skewers",),
    "sushi": ("sushi",),
    "fish": ("fish",),
    "congee": ("rice_bowl",),
    "pizza": ("pizza",),
    "karaoke": (
        *("microphone", "notes_and_screen"),
        *("headphones", "mirror_ball"),
    ),
    "nails": ("polish", "hand", "nail_file"),
    "barber": ("barber_pole", "scissors"),
    "hair": ("scissors", "dryer", "brush_and_mirror"),
    "foot_bath": ("foot_bowl",),
    "massage": ("oils", "stones", "bamboo"),
    "climbing": ("climbing_wall",),
    "pool": ("pool",),
    "boxing": ("boxing_gloves",),
    "yoga": ("yoga_mat",),
    "badminton": ("badminton",),
    "little_gym": ("ball", "trampoline"),
    "gym": ("dumbbell", "kettlebell"),
    "hot_spring": ("hot_spring",),
    "bath": ("bath",),
    "skin_care": ("lotus", "oils"),
    "spa": ("stones", "lotus", "oils"),
    "trampoline": ("trampoline",),
    "books": ("books",),
    "clay": ("pottery",),
    "playhouse": ("blocks", "kite", "train", "duck"),
    "beer": ("beer",),
    "whisky": ("bottles",),
    "jazz": ("record",),
    "wine": ("wine",),
    "board_games": ("dice",),
    "escape": ("keyhole",),
    "party": ("balloons", "cake", "lanterns", "mirror_ball"),
}
#: What fits every shop of a type, for those whose name says no more.
MOTIFS_BY_TYPE: dict[str, tuple[str, ...]] = {
    "food": ("cloche", "place_setting", "wok"),
    "ktv": MOTIFS_BY_SUBJECT["karaoke"],
    "hair": MOTIFS_BY_SUBJECT["hair"],
    "massage": MOTIFS_BY_SUBJECT["massage"],
    "fitness": (*MOTIFS_BY_SUBJECT["gym"], "ball"),
    "spa": (*MOTIFS_BY_SUBJECT["spa"], "bath", "bamboo"),
    "kids": (*MOTIFS_BY_SUBJECT["playhouse"], "gift"),
    "bar": ("bottles", "beer", "wine"),
    "party": (*MOTIFS_BY_SUBJECT["party"], "gift"),
    "nails": MOTIFS_BY_SUBJECT["nails"],
}
FOLDER = Path(__file__).parent / "drawings"
#: Motif -> the names of its drawings.
DRAWINGS: dict[str, list[str]] = {}


@dataclass(frozen=True)
class Palette:
    """The colours of one cover: sky (top, bottom), background shapes (far, near), then the motif's."""

    sky: str
    glow: str
    far: str
    near: str
    main: str
    second: str
    dark: str
    light: str

    @property
    def all(self) -> tuple[str, ...]:
        """Its colours, in the order of every palette."""
        return astuple(self)


PALETTES = (
    Palette("#ffe3c2", "#ffb48a", "#f58f6c", "#d9583f", "#c4351a", "#f2b233", "#4a1f17", "#fff6ea"),
    Palette("#d9efe4", "#a9d9c3", "#74b99b", "#3c8f6f", "#1d7a4b", "#f0a23b", "#14352a", "#fbfff5"),
    Palette("#dfe8fb", "#b3c9f2", "#7f9fdc", "#4a6cb8", "#2f4f96", "#ff9f68", "#18233f", "#f8fbff"),
    Palette("#fde0ea", "#f9b4c9", "#ea86a6", "#c24e79", "#a32558", "#ffc65c", "#3f1226", "#fff7fa"),
    Palette("#ece2fb", "#cdb5f1", "#a082d6", "#6f4bb0", "#53308f", "#ffb95a", "#241341", "#fcf8ff"),
    Palette("#fff0c9", "#ffd678", "#efae3f", "#c97a1c", "#a4540f", "#d9472b", "#3f2208", "#fffaec"),
    Palette("#d6f0f2", "#9fd8de", "#5fb2bd", "#2c8390", "#14626e", "#ff8f5e", "#0d2f36", "#f5feff"),
    Palette("#f3e3d5", "#dcb89c", "#bb8a68", "#875a3d", "#6d3f25", "#e3a13a", "#2e1a10", "#fff9f2"),
)


def fitting_palettes(slug: str) -> tuple[int, ...]:
    """The numbers of the palettes that suit a type; every palette's for an unknown type."""
    return PALETTES_BY_TYPE.get(slug, tuple(range(len(PALETTES))))


for _path in sorted(FOLDER.glob("*.svg")):
    DRAWINGS.setdefault(_path.stem.rpartition("-")[0], []).append(_path.stem)


class Look(NamedTuple):
    """What one sees first of a cover: the name of its motif, and the number of its palette."""

    motif: str
    colours: int


def choose_look(slug: str, english: str, chinese: str, seed: int) -> Look:
    """The look of a shop's cover by its type's slug, its names and its id."""
    motifs = MOTIFS_BY_SUBJECT.get(subjects.find(english, chinese)) or MOTIFS_BY_TYPE.get(
        slug, MOTIFS_BY_TYPE["food"]
    )
    number = crc32(f"{DRAWING_VERSION}:{seed}".encode())
    fitting = fitting_palettes(slug)
    return Look(motifs[number // 1_000 % len(motifs)], fitting[number % len(fitting)])


def parse_colours(look: Look, sent: str) -> Look:
    """The look in the palette of a number that was sent; as it is for what is no palette's number."""
    numbers = {str(number): number for number in range(len(PALETTES))}
    return look._replace(colours=numbers.get(sent, look.colours))


def recolour(slug: str, look: Look, others: Collection[Look]) -> Look:
    """The look in colours that none of the others has with the same motif; as it is where none is left."""
    if look not in others:
        return look
    colours = dict.fromkeys((*fitting_palettes(slug), *range(len(PALETTES))))
    free = (each for each in (look._replace(colours=number) for number in colours) if each not in others)
    return next(free, look)


def draw(look: Look, seed: int) -> str:
    """The cover as an SVG document of 400 by 300: a few kilobytes, no text."""
    return _recoloured(drawing_name(look, seed), look.colours)


def drawing_name(look: Look, seed: int) -> str:
    """The name of the drawing that a shop gets, among the drawings of its motif."""
    names = DRAWINGS[look.motif]
    return names[crc32(f"drawing:{seed}".encode()) % len(names)]


@lru_cache(256)
def _recoloured(name: str, colours: int) -> str:
    drawing = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    others = dict(zip(PALETTES[0].all, PALETTES[colours].all, strict=True))
    return re.sub("#[0-9a-f]{6}", lambda found: others.get(found[0], found[0]), drawing)
