"""Moods of pictures: background, light and bright colours, in the palette of tokens.css."""

from dataclasses import dataclass
from random import Random

from apps.demo.pictures.canvas import Canvas


@dataclass(frozen=True)
class Mood:
    """Colours: the background's `top`, `bottom` and `line`, one for `dark` things, and `bright` accents."""

    top: str
    bottom: str
    line: str
    dark: str
    bright: tuple[str, ...]


CREAM = Mood(
    "#fff4e6", "#f3cfa8", "#e8b98c", "#6b3a22", ("#c4351a", "#e0930a", "#1d7a4b", "#2f5d8c", "#b0123f")
)
PERSIMMON = Mood(
    "#f2a07a", "#cf5130", "#b8431f", "#4a1509", ("#ffe2b8", "#ffc14a", "#fff4e6", "#7a1d2b", "#2f5d5c")
)
WOOD = Mood(
    "#c48a58", "#8a5530", "#7a4826", "#3b1f10", ("#fff1dc", "#e0930a", "#c4351a", "#7fa35a", "#f6d7b0")
)
LEAF = Mood(
    "#eaf4dc", "#a9cf97", "#8cb97b", "#274a2c", ("#c4351a", "#e0930a", "#1d7a4b", "#fff4e6", "#b0123f")
)
LAKE = Mood(
    "#dff0f0", "#86bdbb", "#6aa6a5", "#1d474b", ("#c4351a", "#ffc14a", "#fff4e6", "#2f5d8c", "#e88a73")
)
SKY = Mood(
    "#e4eff9", "#9fc4e6", "#86afd6", "#23486e", ("#c4351a", "#ffc14a", "#ffffff", "#1d7a4b", "#e2557f")
)
ROSE = Mood(
    "#fdeaf0", "#eeb0c2", "#dd94ab", "#6b2340", ("#b0123f", "#e0930a", "#c9557f", "#6fa58b", "#fff4e6")
)
NIGHT = Mood(
    "#40305e", "#171128", "#57457c", "#0d0917", ("#ffcf5c", "#ff6b6b", "#7ee0d0", "#c99bff", "#ff9ecb")
)
WINE = Mood(
    "#6a2338", "#250b15", "#84334b", "#180509", ("#ffcf5c", "#ff8c69", "#ffe2b8", "#e2557f", "#9ed9b0")
)


def table(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a table top seen from above: planks, or a cloth with a stripe; its middle is lit."""
    c.ground(mood.top, mood.bottom)
    if chance.random() < 0.5:
        for step in range(1, 6):
            at = c.h * step / 6 + chance.uniform(-4, 4)
            c.line([(0, at), (c.w, at)], mood.line, 1.1)
    else:
        across = chance.choice((0.16, 0.84)) * c.w
        for shift, width in ((-13, 3), (0, 12), (13, 3)):
            c.line([(across + shift, -5), (across + shift, c.h + 5)], mood.line, width)
    c.glow(c.cx, c.cy, c.w * 0.4, c.h * 0.4, mood.top, 0.5)


def wall(c: Canvas, mood: Mood, *, floor: float = 0.76) -> float:
    """Paint a wall and the table or floor before it; returns the y at which the table or floor begins."""
    c.ground(mood.top, mood.bottom)
    edge = c.h * floor
    c.box(0, edge, c.w, c.h, mood.line)
    c.box(0, edge, c.w, 3, mood.bottom)
    return edge


def lamp(c: Canvas, x: float, drop: float, colour: str, light: str) -> None:
    """Paint a lamp that hangs `drop` units down from the top edge, and its light."""
    c.glow(x, drop + 34, 62, 56, light, 0.5)
    c.line([(x, -4), (x, drop)], "#3b2a22", 1.4)
    c.shape([(x - 5, drop), (x + 5, drop), (x + 24, drop + 22), (x - 24, drop + 22)], colour)
    c.oval(x, drop + 22, 24, 4, "#fff6da")


def plant(c: Canvas, x: float, y: float, size: float, pot: str) -> None:
    """Paint a plant in a pot that stands at (x, y)."""
    for shift, high in ((-26, 44), (-14, 62), (2, 72), (16, 58), (28, 40)):
        tip = (x + shift * size, y - (20 + high) * size)
        side = (x + shift * size * 0.2, y - (24 + high * 0.4) * size)
        c.blob(
            [(x, y - 16 * size), side, tip, (x + shift * size * 0.9, y - (20 + high * 0.45) * size)],
            "#4f8a55",
        )
        c.line([(x, y - 18 * size), tip], "#7fb573", size)
    c.shape(
        [
            (x - 17 * size, y - 24 * size),
            (x + 17 * size, y - 24 * size),
            (x + 12 * size, y),
            (x - 12 * size, y),
        ],
        pot,
    )
