"""A cover: a sky, what stands behind, and the thing a shop of this type is about."""

from collections.abc import Callable
from random import Random

from apps.shops.covers import backdrops, care, ink, palette, play, table
from apps.shops.covers.palette import Palette

#: Rises when the drawings change, so that browsers fetch them again.
EDITION = 1
Motif = Callable[[Random, Palette], str]
MOTIFS: dict[str, tuple[Motif, ...]] = {
    "food": (table.bowl, table.steamer, table.teapot, table.bowl),
    "ktv": (play.microphone, play.notes_and_screen),
    "hair": (care.scissors, care.dryer),
    "massage": (care.oils, care.lotus),
    "fitness": (play.dumbbell, play.kettlebell),
    "spa": (care.stones, care.lotus),
    "kids": (play.blocks, play.kite),
    "bar": (table.bottles, table.beer),
    "party": (play.balloons, play.cake),
    "nails": (care.polish,),
}


def draw(slug: str, seed: int) -> str:
    """The SVG of a shop: 400 by 300, a few kilobytes, no text, the same for the same seed."""
    chance = Random(f"cover:{EDITION}:{seed}")
    colours = palette.pick(slug, chance)
    backdrop = chance.choice(backdrops.ALL)(chance, colours)
    motif = chance.choice(MOTIFS.get(slug, MOTIFS["food"]))(chance, colours)
    ground = ink.ellipse(200, 262, 150, 16, colours.dark, opacity=0.18)
    placed = ink.group(motif, x=200 + chance.randint(-14, 14), y=168, size=chance.uniform(0.98, 1.12))
    sky = (
        '<linearGradient id="s" x1="0" y1="0" x2="0" y2="1">'
        f'<stop stop-color="{colours.sky}"/><stop offset="1" stop-color="{colours.glow}"/></linearGradient>'
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="400" height="300">'
        f"<defs>{sky}</defs>{ink.rect(0, 0, 400, 300, 'url(#s)')}{backdrop}{ground}{placed}</svg>"
    )
