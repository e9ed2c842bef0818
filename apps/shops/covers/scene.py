"""Draws a cover: a sky, a background and a motif of the shop's type."""

from collections.abc import Callable
from random import Random

from apps.shops.covers import (
    backdrops,
    beauty_motifs,
    care_motifs,
    food_motifs,
    leisure_motifs,
    palette,
    play_motifs,
    svg_shapes,
    table_motifs,
)
from apps.shops.covers.palette import Palette

#: Increase it when the drawings change, so that browsers fetch them again.
DRAWING_VERSION = 2
#: Pixels of the PNG, at which previews show a picture large.
PNG_WIDTH = 1200
Motif = Callable[[Random, Palette], str]
MOTIFS_BY_TYPE: dict[str, tuple[Motif, ...]] = {
    "food": (
        *(food_motifs.bowl, food_motifs.steamer, food_motifs.teapot),
        *(
            table_motifs.hot_pot,
            table_motifs.skewers,
            table_motifs.fish,
            table_motifs.cup,
            table_motifs.cake_slice,
        ),
    ),
    "ktv": (
        *(leisure_motifs.microphone, leisure_motifs.notes_and_screen),
        *(play_motifs.headphones, play_motifs.record, play_motifs.mirror_ball),
    ),
    "hair": (
        *(beauty_motifs.scissors, beauty_motifs.dryer),
        *(care_motifs.barber_pole, care_motifs.brush_and_mirror),
    ),
    "massage": (
        *(beauty_motifs.oils, beauty_motifs.lotus, beauty_motifs.stones),
        *(care_motifs.foot_bowl, care_motifs.bamboo),
    ),
    "fitness": (
        *(leisure_motifs.dumbbell, leisure_motifs.kettlebell),
        *(play_motifs.ball, play_motifs.yoga_mat),
    ),
    "spa": (beauty_motifs.stones, beauty_motifs.lotus, care_motifs.bath, care_motifs.bamboo),
    "kids": (
        *(leisure_motifs.blocks, leisure_motifs.kite),
        *(play_motifs.train, play_motifs.duck, play_motifs.gift),
    ),
    "bar": (
        *(food_motifs.bottles, food_motifs.beer),
        *(table_motifs.wine, table_motifs.skewers, play_motifs.record),
    ),
    "party": (
        *(leisure_motifs.balloons, leisure_motifs.cake),
        *(play_motifs.gift, play_motifs.lanterns, play_motifs.mirror_ball),
    ),
    "nails": (beauty_motifs.polish, care_motifs.hand, care_motifs.nail_file),
}


def draw(slug: str, seed: int) -> str:
    """The cover as an SVG document of 400 by 300 for a shop type's slug: a few kilobytes, no text."""
    chance = Random(f"cover:{DRAWING_VERSION}:{seed}")
    colours = palette.pick(slug, chance)
    backdrop = chance.choice(backdrops.ALL_BACKDROPS)(chance, colours)
    motif = chance.choice(MOTIFS_BY_TYPE.get(slug, MOTIFS_BY_TYPE["food"]))(chance, colours)
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
