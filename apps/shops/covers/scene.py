"""Draws a cover: a sky, a background and a motif that fits the shop's name, or its type."""

from collections.abc import Callable, Collection
from random import Random
from typing import NamedTuple
from zlib import crc32

from apps.shops.covers import (
    backdrops,
    beauty_motifs,
    care_motifs,
    dish_motifs,
    food_motifs,
    leisure_motifs,
    palette,
    place_motifs,
    play_motifs,
    subjects,
    svg_shapes,
    table_motifs,
)
from apps.shops.covers.palette import Palette

#: Increase it when the drawings change, so that browsers fetch them again.
DRAWING_VERSION = 3
#: Pixels of the PNG, at which previews show a picture large.
PNG_WIDTH = 1200
Motif = Callable[[Random, Palette], str]
MOTIFS_BY_SUBJECT: dict[str, tuple[Motif, ...]] = {
    "coffee": (table_motifs.cup,),
    "bakery": (dish_motifs.bread, table_motifs.cake_slice),
    "cake": (table_motifs.cake_slice,),
    "ice_cream": (dish_motifs.ice_cream,),
    "tea": (food_motifs.teapot,),
    "noodles": (food_motifs.bowl,),
    "dumplings": (food_motifs.steamer,),
    "hot_pot": (table_motifs.hot_pot,),
    "duck": (dish_motifs.roast_duck,),
    "grill": (table_motifs.skewers,),
    "sushi": (dish_motifs.sushi,),
    "fish": (table_motifs.fish,),
    "congee": (dish_motifs.rice_bowl,),
    "pizza": (dish_motifs.pizza,),
    "karaoke": (
        *(leisure_motifs.microphone, leisure_motifs.notes_and_screen),
        *(play_motifs.headphones, play_motifs.mirror_ball),
    ),
    "nails": (beauty_motifs.polish, care_motifs.hand, care_motifs.nail_file),
    "barber": (care_motifs.barber_pole, beauty_motifs.scissors),
    "hair": (beauty_motifs.scissors, beauty_motifs.dryer, care_motifs.brush_and_mirror),
    "foot_bath": (care_motifs.foot_bowl,),
    "massage": (beauty_motifs.oils, beauty_motifs.stones, care_motifs.bamboo),
    "climbing": (place_motifs.climbing_wall,),
    "pool": (place_motifs.pool,),
    "boxing": (place_motifs.boxing_gloves,),
    "yoga": (play_motifs.yoga_mat,),
    "badminton": (place_motifs.badminton,),
    "little_gym": (play_motifs.ball, place_motifs.trampoline),
    "gym": (leisure_motifs.dumbbell, leisure_motifs.kettlebell),
    "hot_spring": (place_motifs.hot_spring,),
    "bath": (care_motifs.bath,),
    "skin_care": (beauty_motifs.lotus, beauty_motifs.oils),
    "spa": (beauty_motifs.stones, beauty_motifs.lotus, beauty_motifs.oils),
    "trampoline": (place_motifs.trampoline,),
    "books": (place_motifs.books,),
    "clay": (place_motifs.pottery,),
    "playhouse": (leisure_motifs.blocks, leisure_motifs.kite, play_motifs.train, play_motifs.duck),
    "beer": (food_motifs.beer,),
    "whisky": (food_motifs.bottles,),
    "jazz": (play_motifs.record,),
    "wine": (table_motifs.wine,),
    "board_games": (place_motifs.dice,),
    "escape": (place_motifs.keyhole,),
    "party": (leisure_motifs.balloons, leisure_motifs.cake, play_motifs.lanterns, play_motifs.mirror_ball),
}
#: What fits every shop of a type, for those whose name says no more.
MOTIFS_BY_TYPE: dict[str, tuple[Motif, ...]] = {
    "food": (dish_motifs.cloche, dish_motifs.place_setting, dish_motifs.wok),
    "ktv": MOTIFS_BY_SUBJECT["karaoke"],
    "hair": MOTIFS_BY_SUBJECT["hair"],
    "massage": MOTIFS_BY_SUBJECT["massage"],
    "fitness": (*MOTIFS_BY_SUBJECT["gym"], play_motifs.ball),
    "spa": (*MOTIFS_BY_SUBJECT["spa"], care_motifs.bath, care_motifs.bamboo),
    "kids": (*MOTIFS_BY_SUBJECT["playhouse"], play_motifs.gift),
    "bar": (food_motifs.bottles, food_motifs.beer, table_motifs.wine),
    "party": (*MOTIFS_BY_SUBJECT["party"], play_motifs.gift),
    "nails": MOTIFS_BY_SUBJECT["nails"],
}


class Look(NamedTuple):
    """What one sees first of a cover: the name of its motif, and the number of its palette."""

    motif: str
    colours: int


_ALL_MOTIFS = {
    motif.__name__: motif
    for motifs in (*MOTIFS_BY_SUBJECT.values(), *MOTIFS_BY_TYPE.values())
    for motif in motifs
}


def choose_look(slug: str, english: str, chinese: str, seed: int) -> Look:
    """The look of a shop's cover by its type's slug, its names and its id."""
    motifs = MOTIFS_BY_SUBJECT.get(subjects.find(english, chinese)) or MOTIFS_BY_TYPE.get(
        slug, MOTIFS_BY_TYPE["food"]
    )
    number = crc32(f"{DRAWING_VERSION}:{seed}".encode())
    fitting = palette.fitting(slug)
    return Look(motifs[number // 1_000 % len(motifs)].__name__, fitting[number % len(fitting)])


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
    chance = Random(f"cover:{DRAWING_VERSION}:{seed}")
    colours = palette.PALETTES[look.colours]
    backdrop = chance.choice(backdrops.ALL_BACKDROPS)(chance, colours)
    motif = _ALL_MOTIFS[look.motif](chance, colours)
    ground = svg_shapes.ellipse(200, 262, 150, 16, colours.dark, opacity=0.18)
    placed = svg_shapes.group(motif, x=200 + chance.randint(-14, 14), y=168, size=chance.uniform(0.98, 1.12))
    sky = (
        '<linearGradient id="s" x1="0" y1="0" x2="0" y2="1">'
        f'<stop stop-color="{colours.sky}"/><stop offset="1" stop-color="{colours.glow}"/></linearGradient>'
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="400" height="300">'
        f"<defs>{sky}</defs>{svg_shapes.rect(0, 0, 400, 300, 'url(#s)')}{backdrop}{ground}{placed}</svg>"
    )
