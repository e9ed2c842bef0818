"""Paints pictures of what shops are named after, from the motifs of their drawn covers."""

from collections.abc import Callable
from random import Random

from apps.demo.pictures import moods
from apps.demo.pictures.canvas import Canvas
from apps.demo.pictures.moods import Mood
from apps.shops.covers import scene
from apps.shops.covers.scene import Look

Paint = Callable[[Canvas, Mood, Random], None]
#: What a drawing begins with after its background.
GROUND = '<ellipse cx="200" cy="262"'


def _on_a_floor(motif: str) -> Paint:
    """A painter of a motif that stands on a floor, or on a table."""

    thing = scene.draw(Look(motif, 7), 1).rpartition(GROUND)[2]
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="50 18 300 300">{GROUND}{thing}'

    def paint(c: Canvas, mood: Mood, chance: Random) -> None:
        edge = moods.wall(c, mood, floor=0.7)
        c.glow(c.cx, c.h * 0.42, c.w * 0.42, c.h * 0.34, "#ffffff", 0.35)
        for _ in range(7):
            size = chance.uniform(3, 9)
            c.disc(chance.uniform(0, c.w), chance.uniform(0, edge * 0.9), size, mood.line)
        side = min(c.w, c.h) * 1.08
        c.glow(c.cx, c.h * 0.5 + side * 0.34, side * 0.4, side * 0.06, "#1c0a04", 0.45)
        c.drawing(svg, c.cx - side / 2, c.h * 0.5 - side / 2, side)

    # Pictures are seeded by the name of their painter.
    paint.__name__ = motif
    return paint


roast_duck, rice_bowl = _on_a_floor("roast_duck"), _on_a_floor("rice_bowl")
boxing_gloves, badminton = _on_a_floor("boxing_gloves"), _on_a_floor("badminton")
yoga_mat, trampoline = _on_a_floor("yoga_mat"), _on_a_floor("trampoline")
books, pottery = _on_a_floor("books"), _on_a_floor("pottery")
keyhole = _on_a_floor("keyhole")
