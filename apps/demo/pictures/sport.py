"""Paints pictures of gyms, climbing walls and pools."""

from random import Random

from apps.demo.pictures import moods
from apps.demo.pictures.canvas import Canvas, points_on_circle
from apps.demo.pictures.moods import Mood


def weights(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint dumbbells and a kettlebell on the floor."""
    edge = moods.wall(c, mood, floor=0.66)
    for step in range(3):
        x = c.w * (0.06 + 0.33 * step)
        c.box(x, c.h * 0.06, c.w * 0.27, edge - c.h * 0.12, mood.top, r=6)
        c.shape(
            [
                (x + 10, edge - c.h * 0.08),
                (x + c.w * 0.16, c.h * 0.08),
                (x + c.w * 0.22, c.h * 0.08),
                (x + 40, edge - c.h * 0.08),
            ],
            "#ffffff",
        )
    bright = list(mood.bright)
    chance.shuffle(bright)
    for x, y, size, colour in (
        (c.w * 0.36, edge + c.h * 0.24, 1.15, bright[0]),
        (c.w * 0.7, edge + c.h * 0.1, 0.8, bright[1]),
    ):
        c.glow(x, y + 6, 118 * size, 14 * size, "#1c0a04", 0.5)
        c.box(x - 60 * size, y - 38 * size, 120 * size, 15 * size, "#b7c0c6", r=7)
        for side in (-1, 1):
            for out, high, tone in ((58, 84, colour), (82, 62, "#2a2530"), (100, 40, "#4b4552")):
                c.box(
                    x + side * out * size - 12 * size,
                    y - 31 * size - high * size / 2,
                    24 * size,
                    high * size,
                    tone,
                    r=7 * size,
                )
    x, y = c.w * 0.8, edge + c.h * 0.27
    c.glow(x, y, 46, 10, "#1c0a04", 0.5)
    c.ring(x, y - 74, 27, "#2a2530", 12)
    c.disc(x, y - 36, 40, "#2a2530")
    c.disc(x, y - 34, 20, bright[2])
    c.glow(x - 15, y - 52, 10, 8, "#ffffff", 0.5)


def climbing(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a wall of holds, and a rope."""
    c.ground(mood.top, mood.bottom)
    for step in range(9):
        corner = [(c.w * chance.random(), c.h * chance.random()) for _ in range(3)]
        c.shape(corner, mood.line if step % 2 else mood.top)
    for row in range(6):
        for column in range(7):
            x, y = (
                (column + 0.5 + chance.uniform(-0.3, 0.3)) * c.w / 7,
                (row + 0.5 + chance.uniform(-0.3, 0.3)) * c.h / 6,
            )
            size = chance.uniform(9, 20)
            c.glow(x + 2, y + size * 0.6, size * 1.1, size * 0.9, "#1c0a04", 0.45)
            c.blob(
                points_on_circle(x, y, size, 6, turn=chance.random(), flat=chance.uniform(0.6, 0.9)),
                chance.choice(mood.bright),
            )
            c.disc(x, y, 2.4, "#2a1a15")
            c.glow(x - size * 0.3, y - size * 0.3, size * 0.4, size * 0.25, "#ffffff", 0.5)
    rope = [
        (c.w * 0.6, -10),
        (c.w * 0.56, c.h * 0.3),
        (c.w * 0.63, c.h * 0.62),
        (c.w * 0.5, c.h * 0.88),
        (c.w * 0.7, c.h + 10),
    ]
    c.line(rope, "#3b1f10", 6.4)
    c.line(rope, "#ffc14a", 4.4)


def pool(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint lanes seen from above, and a swimmer."""
    c.ground("#7fd0dc", "#2f93b8")
    for _ in range(52):
        x, y = chance.uniform(-10, c.w), chance.uniform(0, c.h)
        c.line([(x, y), (x + 12, y - 4), (x + 24, y), (x + 36, y - 3)], "#a6e3e8", 1.8)
    for lane in (0.2, 0.5, 0.8):
        for step in range(int(c.w / 13) + 1):
            c.disc(step * 13, c.h * lane, 4.6, mood.bright[0] if step // 3 % 2 else "#fffaf3")
    x, y, skin = c.w * chance.uniform(0.4, 0.6), c.h * 0.35, "#e9b48c"
    c.glow(x + 10, y + 16, 92, 20, "#135a78", 0.5)
    for wave in range(5):
        c.line(
            [(x + 70 + wave * 12, y - 16), (x + 84 + wave * 13, y), (x + 70 + wave * 12, y + 16)],
            "#e4fbfb",
            2.4,
        )
    c.line([(x + 30, y + 4), (x + 66, y + 8), (x + 104, y + 4)], skin, 12)
    c.line([(x - 10, y + 10), (x - 46, y + 26), (x - 84, y + 22)], skin, 11)
    c.blob(
        [(x - 24, y - 14), (x + 30, y - 11), (x + 44, y + 4), (x + 30, y + 18), (x - 24, y + 18)],
        mood.bright[4],
    )
    c.line([(x - 14, y - 8), (x - 2, y - 36), (x + 28, y - 40)], skin, 11)
    c.disc(x - 42, y, 18, skin)
    c.disc(x - 40, y - 2, 18, mood.bright[0])
    c.glow(x - 46, y - 8, 8, 5, "#ffffff", 0.6)
    c.oval(c.w * 0.8, c.h * 0.66, 34, 34, "#fffaf3")
    c.ring(c.w * 0.8, c.h * 0.66, 34, mood.bright[0], 15)
    c.disc(c.w * 0.8, c.h * 0.66, 18, "#4fb0c8")
