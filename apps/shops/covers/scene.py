"""Chooses the drawn cover of a shop, which fits its name or its type, and recolours it.

The drawings are files: `drawings/<motif>-<number>.svg`, 400 by 300, in the colours of the first palette.
Their backgrounds go on to both sides, for a frame that is wider than a card.
"""

import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from apps.shops.covers import palette, subjects

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
    fitting = palette.fitting(slug)
    return Look(motifs[number // 1_000 % len(motifs)], fitting[number % len(fitting)])


def parse_colours(look: Look, sent: str) -> Look:
    """The look in the palette of a number that was sent; as it is for what is no palette's number."""
    numbers = {str(number): number for number in range(len(palette.PALETTES))}
    return look._replace(colours=numbers.get(sent, look.colours))


def recolour(slug: str, look: Look, others: Collection[Look]) -> Look:
    """The look in colours that none of the others has with the same motif; as it is where none is left."""
    if look not in others:
        return look
    colours = dict.fromkeys((*palette.fitting(slug), *range(len(palette.PALETTES))))
    free = (each for each in (look._replace(colours=number) for number in colours) if each not in others)
    return next(free, look)


def draw(look: Look, seed: int) -> str:
    """The cover as an SVG document of 400 by 300: a few kilobytes, no text."""
    return _recoloured(drawing_name(look, seed), look.colours)


def drawing_name(look: Look, seed: int) -> str:
    """The name of the drawing that a shop gets, of those with its motif."""
    names = DRAWINGS[look.motif]
    return names[crc32(f"drawing:{seed}".encode()) % len(names)]


@lru_cache(256)
def _recoloured(name: str, colours: int) -> str:
    drawing = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    others = dict(zip(palette.PALETTES[0].all, palette.PALETTES[colours].all, strict=True))
    return re.sub("#[0-9a-f]{6}", lambda found: others.get(found[0], found[0]), drawing)
