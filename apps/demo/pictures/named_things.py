"""Paints pictures of what shops are named after, from the motifs of their drawn covers."""

from collections.abc import Callable
from random import Random

from apps.demo.pictures import moods
from apps.demo.pictures.canvas import Canvas
from apps.demo.pictures.moods import Mood
from apps.shops.covers import dish_motifs, place_motifs, play_motifs, scene, svg_shapes
from apps.shops.covers.palette import Palette

COLOURS = Palette("#f3e3d5", "#e3b98c", "#dcb89c", "#d9772f", "#c4351a", "#f2b233", "#3a2a26", "#fffaf3")
Paint = Callable[[Canvas, Mood, Random], None]


def _on_a_floor(motif: scene.Motif) -> Paint:
    """A painter of a motif that stands on a floor, or on a table."""

    thing = svg_shapes.group(motif(Random(motif.__name__), COLOURS), x=150, y=150)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300">{thing}</svg>'

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
    paint.__name__ = motif.__name__
    return paint


roast_duck, rice_bowl = _on_a_floor(dish_motifs.roast_duck), _on_a_floor(dish_motifs.rice_bowl)
boxing_gloves, badminton = _on_a_floor(place_motifs.boxing_gloves), _on_a_floor(place_motifs.badminton)
yoga_mat, trampoline = _on_a_floor(play_motifs.yoga_mat), _on_a_floor(place_motifs.trampoline)
books, pottery = _on_a_floor(place_motifs.books), _on_a_floor(place_motifs.pottery)
keyhole = _on_a_floor(place_motifs.keyhole)
