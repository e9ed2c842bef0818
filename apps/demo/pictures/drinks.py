"""Paints pictures of drinks and of the rooms where they are served, seen from the side."""

from random import Random

from apps.demo.pictures import moods
from apps.demo.pictures.canvas import Canvas, points_on_circle
from apps.demo.pictures.moods import Mood


def bokeh(c: Canvas, chance: Random, colours: tuple[str, ...], *, upto: float = 0.7) -> None:
    """Paint lights out of focus."""
    for _ in range(13):
        size = chance.uniform(8, 24)
        c.glow(
            chance.uniform(0, c.w),
            chance.uniform(0, c.h * upto),
            size,
            size,
            chance.choice(colours),
            chance.uniform(0.2, 0.5),
        )


def cup(c: Canvas, x: float, y: float, size: float, colour: str, inside: str) -> None:
    """Paint a cup on a saucer that stands at y."""
    c.glow(x, y + 2, 76 * size, 13 * size, "#1c0a04", 0.5)
    c.oval(x, y - 3 * size, 74 * size, 12 * size, colour)
    c.oval(x, y - 5 * size, 56 * size, 8 * size, "#d9c3ae")
    c.ring(x + 50 * size, y - 46 * size, 20 * size, colour, 8 * size)
    c.blob(
        [
            (x - 50 * size, y - 78 * size),
            (x + 50 * size, y - 78 * size),
            (x + 44 * size, y - 34 * size),
            (x + 20 * size, y - 7 * size),
            (x - 20 * size, y - 7 * size),
            (x - 44 * size, y - 34 * size),
        ],
        colour,
    )
    c.oval(x, y - 78 * size, 52 * size, 13 * size, colour)
    c.oval(x, y - 77 * size, 47 * size, 10 * size, inside)
    c.glow(x - 28 * size, y - 44 * size, 9 * size, 24 * size, "#ffffff", 0.55)


def coffee(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a cup by the window, and a cake."""
    edge = moods.wall(c, mood)
    window(c, c.w * 0.16, c.h * 0.08, c.w * 0.44, edge - c.h * 0.2, chance)
    moods.plant(c, c.w * 0.85, edge + 8, 1.2, mood.bright[0])
    x, y = c.w * 0.36, edge + c.h * 0.13
    cup(c, x, y, 1.05, chance.choice(("#fffaf3", "#c4351a", "#2f5d8c", "#1d7a4b")), "#6b3a1e")
    c.steam(x, y - 84, 96)
    x = c.w * 0.76
    c.glow(x, y + 4, 58, 11, "#1c0a04", 0.45)
    c.oval(x, y, 56, 10, "#fffaf3")
    for layer, colour in enumerate(("#d99a5b", "#fff1dc", "#d99a5b", "#f4a6b7")):
        top = y - 14 - layer * 13
        c.shape([(x - 38, top), (x + 40, top), (x + 40, top + 14), (x - 38, top + 14)], colour)
    c.disc(x - 8, y - 60, 9, "#b0123f")
    c.disc(x - 10, y - 63, 2.4, "#ffffff")


def window(c: Canvas, x: float, y: float, w: float, h: float, chance: Random) -> None:
    """Paint a window on a lake, or on the city."""
    c.box(x - 7, y - 7, w + 14, h + 14, "#fff7ec", r=9)
    c.box(x, y, w, h, "#bfe0ee", r=5)
    c.glow(x + w * 0.7, y + h * 0.26, w * 0.16, w * 0.16, "#fff3c4", 0.95)
    if chance.random() < 0.5:
        for lift, colour in ((0.44, "#9cc5c0"), (0.58, "#6fa58b")):
            c.shape(
                [
                    (x, y + h),
                    (x, y + h * (lift + 0.12)),
                    (x + w * 0.3, y + h * lift),
                    (x + w * 0.58, y + h * (lift + 0.16)),
                    (x + w * 0.82, y + h * (lift + 0.04)),
                    (x + w, y + h * (lift + 0.14)),
                    (x + w, y + h),
                ],
                colour,
            )
        c.box(x, y + h * 0.84, w, h * 0.16, "#86bdbb")
    else:
        for step in range(7):
            high = h * chance.uniform(0.25, 0.66)
            c.box(
                x + step * w / 7,
                y + h - high,
                w / 7 - 2,
                high,
                chance.choice(("#8fb1cf", "#7c9dbd", "#a8c3da")),
            )
    c.line([(x + w / 2, y), (x + w / 2, y + h)], "#fff7ec", 5)
    c.line([(x, y + h / 2), (x + w, y + h / 2)], "#fff7ec", 5)


def tea(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a pot of tea and two cups."""
    edge = moods.wall(c, mood, floor=0.7)
    c.glow(c.cx, c.h * 0.36, c.w * 0.3, c.w * 0.3, "#fff6da", 0.8)
    for step in range(5):
        x = c.w * (0.08 + 0.2 * step) + chance.uniform(-8, 8)
        c.line([(x, -5), (x + 8, c.h * 0.3), (x - 4, edge)], mood.line, 5)
        for leaf in range(4):
            at = c.h * (0.08 + leaf * 0.14)
            c.blob([(x, at), (x + 22, at - 9), (x + 40, at + 5), (x + 20, at + 8)], "#6fa56a")
    x, y, pot = c.cx - 26, edge + c.h * 0.13, chance.choice(("#8a3d22", "#2f5d5c", "#3b3f5c"))
    c.glow(x, y, 96, 14, "#1c0a04", 0.5)
    c.line([(x + 56, y - 40), (x + 82, y - 52), (x + 98, y - 84)], pot, 15)
    c.ring(x - 62, y - 52, 30, pot, 9)
    c.blob(
        [
            (x - 62, y - 52),
            (x - 40, y - 92),
            (x + 40, y - 92),
            (x + 62, y - 52),
            (x + 40, y - 4),
            (x - 40, y - 4),
        ],
        pot,
    )
    c.oval(x, y - 92, 40, 9, "#2b120a")
    c.oval(x, y - 96, 38, 11, pot)
    c.disc(x, y - 110, 9, pot)
    c.glow(x - 30, y - 62, 13, 26, "#ffffff", 0.4)
    for shift, size in ((118, 0.5), (-128, 0.44)):
        cup(c, c.cx + shift * c.w / 400, y + 14, size, "#fffaf3", "#b98a2c")
    c.steam(c.cx + 118 * c.w / 400, y - 30, 64)


def cocktail(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a glass on the bar, lights behind."""
    c.ground(mood.top, mood.bottom)
    bokeh(c, chance, mood.bright)
    edge = c.h * 0.8
    c.box(0, edge, c.w, c.h, mood.dark)
    c.box(0, edge, c.w, 4, mood.line)
    drinks = (("#ff8c4a", "#ffd36b"), ("#e2557f", "#ffb0c8"), ("#58b98a", "#d4f0b0"), ("#d9583a", "#ffc14a"))
    for place, (low, high) in zip(
        (0.32, 0.68) if c.w > c.h else (0.5,), chance.sample(drinks, 2), strict=False
    ):
        _glass(c, c.w * place, edge + 22, low, high, martini=chance.random() < 0.5)


def _glass(c: Canvas, x: float, y: float, low: str, high: str, *, martini: bool) -> None:
    c.glow(x, y, 60, 9, low, 0.6)
    c.oval(x, y, 42, 7, "#cfd9e6")
    c.oval(x, y - 2, 36, 4, "#f4f8ff")
    c.box(x - 3, y - 84, 6, 82, "#dfe8f4")
    if martini:
        c.shape([(x - 74, y - 170), (x + 74, y - 170), (x + 4, y - 80), (x - 4, y - 80)], "#dfe8f4")
        c.shape([(x - 62, y - 158), (x + 62, y - 158), (x, y - 84)], low)
        c.shape([(x - 62, y - 158), (x + 62, y - 158), (x + 44, y - 138), (x - 44, y - 138)], high)
    else:
        c.blob(
            [
                (x - 46, y - 186),
                (x + 46, y - 186),
                (x + 50, y - 120),
                (x + 22, y - 82),
                (x - 22, y - 82),
                (x - 50, y - 120),
            ],
            "#dfe8f4",
        )
        c.blob(
            [
                (x - 42, y - 160),
                (x + 42, y - 160),
                (x + 44, y - 120),
                (x + 18, y - 88),
                (x - 18, y - 88),
                (x - 44, y - 120),
            ],
            low,
        )
        c.oval(x, y - 160, 41, 8, high)
        for dx, dy in ((-14, -146), (12, -138), (-4, -120)):
            c.box(x + dx - 11, y + dy - 11, 22, 22, "#fff6ea", r=5)
            c.box(x + dx - 8, y + dy - 8, 16, 16, high, r=4)
    _lemon(c, x + 50, y - 176)
    c.glow(x - 28, y - 140, 5, 24, "#ffffff", 0.7)


def _lemon(c: Canvas, x: float, y: float) -> None:
    c.disc(x, y, 22, "#f7c948")
    c.disc(x, y, 18, "#fff1b8")
    for tip in points_on_circle(x, y, 15, 6):
        c.line([(x, y), tip], "#f7c948", 2)


def beer(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint glasses from the tap, with heads."""
    edge = moods.wall(c, mood, floor=0.82)
    bokeh(c, chance, mood.bright, upto=0.4)
    colours = ["#e8a11f", "#c9721a", "#5a2b14", "#f0bf4c"]
    places = (0.17, 0.39, 0.61, 0.83) if c.w > c.h else (0.24, 0.5, 0.76)
    for place, colour in zip(places, colours, strict=False):
        x, y, tall = c.w * place, edge + 20, chance.uniform(120, 150)
        c.glow(x, y, 46, 9, "#1c0a04", 0.6)
        c.shape([(x - 36, y - tall), (x + 36, y - tall), (x + 27, y), (x - 27, y)], "#f3ead9")
        c.shape([(x - 33, y - tall + 10), (x + 33, y - tall + 10), (x + 25, y - 6), (x - 25, y - 6)], colour)
        for px, py in points_on_circle(x, y - tall + 2, 27, 9, flat=0.3):
            c.disc(px, py, 12, "#fffaf0")
        c.glow(x - 18, y - tall * 0.48, 5, tall * 0.26, "#ffffff", 0.5)
        for _ in range(9):
            c.disc(
                x + chance.uniform(-20, 20),
                y - chance.uniform(12, tall - 34),
                chance.uniform(1, 2.2),
                "#fff1c8",
            )


def shelf(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint bottles behind the bar, and a lamp."""
    c.ground(mood.top, mood.bottom)
    rows = 2 if c.w > c.h else 3
    for row in range(rows):
        base = c.h * (row + 1) / (rows + 0.35)
        c.glow(c.cx, base - 40, c.w * 0.4, 40, "#ffcf5c", 0.28)
        x = 22.0
        while x < c.w - 20:
            wide, high = chance.uniform(22, 32), chance.uniform(64, 96)
            colour = chance.choice(("#2f6b4a", "#7a3a16", "#c98a3a", "#8fb7c9", "#5b1f35", "#e8dcc4"))
            c.box(x, base - high, wide, high, colour, r=7)
            c.box(x + wide * 0.33, base - high - 24, wide * 0.34, 30, colour, r=2)
            c.box(x + wide * 0.28, base - high - 28, wide * 0.44, 9, chance.choice(mood.bright), r=2)
            c.box(x + 2, base - high * 0.62, wide - 4, high * 0.34, "#fff3dd", r=2)
            c.line([(x + 5, base - high + 12), (x + 5, base - 10)], "#ffffff", 1.4)
            x += wide + chance.uniform(6, 13)
        c.box(0, base, c.w, 9, mood.line)
        c.box(0, base + 7, c.w, 5, mood.dark)
    moods.lamp(c, c.w * chance.choice((0.24, 0.76)), c.h * 0.1, mood.bright[1], "#ffcf5c")


def dining_room(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a room with lamps, a window and a laid table."""
    edge = moods.wall(c, mood, floor=0.74)
    window(c, c.w * 0.28, c.h * 0.16, c.w * 0.44, c.h * 0.36, chance)
    for place in (0.16, 0.84):
        moods.lamp(c, c.w * place, c.h * chance.uniform(0.1, 0.2), mood.bright[0], "#ffe7a8")
    moods.plant(c, c.w * 0.91, edge + 10, 1.1, mood.bright[1])
    top = edge + c.h * 0.04
    for place in (0.14, 0.8):
        c.box(c.w * place - 26, top - 62, 52, 70, mood.bright[0], r=12)
        c.box(c.w * place - 4, top, 8, c.h, mood.dark)
    c.box(c.w * 0.2, top, c.w * 0.55, 13, "#8a5530", r=6)
    c.box(c.w * 0.46, top + 8, 14, c.h, "#6b3f22")
    for place, colour in ((0.3, "#c4351a"), (0.48, "#1d7a4b"), (0.65, "#e0930a")):
        x = c.w * place
        c.blob([(x - 24, top - 20), (x + 24, top - 20), (x + 12, top - 1), (x - 12, top - 1)], "#fffaf3")
        c.oval(x, top - 20, 22, 6, colour)
    c.steam(c.w * 0.48, top - 18, 52)
