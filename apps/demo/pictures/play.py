"""Paints pictures of singing, parties and children's play."""

from random import Random

from apps.demo.pictures import moods
from apps.demo.pictures.canvas import Canvas, points_on_circle, rotate
from apps.demo.pictures.drinks import bokeh
from apps.demo.pictures.moods import Mood


def microphone(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a microphone before rings of neon."""
    c.ground(mood.top, mood.bottom)
    bokeh(c, chance, mood.bright, upto=1)
    x, y = c.cx, c.cy - 10
    for r, colour in ((124, mood.bright[0]), (102, mood.bright[1]), (80, mood.bright[2])):
        c.glow(x, y, r * 1.05, r * 1.05, colour, 0.16)
        c.ring(x, y, r, colour, 4)
        c.ring(x, y, r - 1.3, "#fff6ea", 1.3)
    turn = chance.choice((-1, 1)) * chance.uniform(0.06, 0.1)
    c.shape(rotate([(-20, 10), (20, 10), (13, 176), (-13, 176)], x, y - 10, turn), "#26202f")
    c.shape(rotate([(-20, 10), (-8, 10), (-6, 176), (-13, 176)], x, y - 10, turn), "#4b4258")
    c.shape(rotate([(-26, -2), (26, -2), (22, 18), (-22, 18)], x, y - 10, turn), mood.bright[0])
    [(hx, hy)] = rotate([(0, -34)], x, y - 10, turn)
    c.disc(hx, hy, 44, "#8d97a5")
    for step in range(-4, 5):
        reach = (42**2 - (step * 9) ** 2) ** 0.5
        for flip in (0, 0.25):
            c.line(rotate([(-reach, step * 9), (reach, step * 9)], hx, hy, turn + flip), "#5b6472", 1.6)
    c.glow(hx - 15, hy - 16, 15, 13, "#ffffff", 0.75)
    for _ in range(5):
        px, py, colour = (
            chance.uniform(20, c.w - 20),
            chance.uniform(20, c.h - 40),
            chance.choice(mood.bright),
        )
        c.oval(px, py, 9, 7, colour)
        c.line([(px + 8, py), (px + 8, py - 34)], colour, 2.6)
        c.line([(px + 8, py - 34), (px + 20, py - 26)], colour, 4)


def song_room(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a room with a screen, a sofa and a mirror ball."""
    c.ground(mood.top, mood.bottom)
    bx, by = c.w * 0.74, c.h * 0.17
    for turn in range(7):
        ends = rotate([(-20, 330), (20, 330)], bx, by, (turn - 3) * 0.075)
        for part in range(5):
            share = (part + 1) / 5
            x, y = bx + (ends[0][0] - bx) * share, by + (ends[0][1] - by) * share
            c.glow(x, y, 13 + 11 * share, 26, mood.bright[turn % len(mood.bright)], 0.2)
    _mirror_ball(c, bx, by, mood, chance)
    c.box(c.w * 0.06, c.h * 0.2, c.w * 0.48, c.h * 0.34, "#120d1c", r=7)
    c.box(
        c.w * 0.08, c.h * 0.225, c.w * 0.44, c.h * 0.29, chance.choice(("#2f5d8c", "#8a2f5c", "#1d6a6a")), r=4
    )
    c.glow(c.w * 0.3, c.h * 0.33, 46, 30, "#ffffff", 0.4)
    for step, wide in enumerate((0.3, 0.2)):
        c.box(c.w * 0.14, c.h * (0.42 + 0.045 * step), c.w * wide, 6, ("#ffcf5c", "#ffffff")[step], r=3)
    base = c.h * 0.92
    c.box(0, base, c.w, c.h, mood.dark)
    sofa = chance.choice(("#b0123f", "#8a3fa0", "#c4551a"))
    c.box(c.w * 0.06, base - 92, c.w * 0.88, 80, sofa, r=22)
    for step in range(4):
        c.box(
            c.w * (0.09 + step * 0.21), base - 52, c.w * 0.19, 48, mood.bright[4] if step % 2 else sofa, r=14
        )
    c.box(c.w * 0.3, base - 12, c.w * 0.4, 12, "#3b2a4d", r=5)
    for place, colour in ((0.38, "#ffcf5c"), (0.5, "#7ee0d0"), (0.6, "#ff9ecb")):
        c.shape(
            [
                (c.w * place - 9, base - 42),
                (c.w * place + 9, base - 42),
                (c.w * place + 6, base - 12),
                (c.w * place - 6, base - 12),
            ],
            colour,
        )


def _mirror_ball(c: Canvas, bx: float, by: float, mood: Mood, chance: Random) -> None:
    c.line([(bx, -4), (bx, by)], "#cfc6dd", 1.6)
    c.disc(bx, by, 30, "#8f86a8")
    for row in range(-3, 4):
        for column in range(-3, 4):
            if (row * 8) ** 2 + (column * 8) ** 2 < 26**2:
                shine = chance.choice(("#cfc6dd", "#f4efff", "#a79cc2", *mood.bright[:2]))
                c.box(bx + column * 8 - 3.4, by + row * 8 - 3.4, 6.8, 6.8, shine, r=1)


def ball_pit(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a slide into a pool of balls, with bunting above."""
    c.ground(mood.top, mood.bottom)
    bunting(c, mood, 0.1)
    right, top = c.w * 0.94, c.h * 0.24
    tower = c.w * 0.62
    c.box(tower, top, right - tower, c.h, mood.bright[3], r=14)
    c.shape([(tower - 12, top + 8), (right + 12, top + 8), ((tower + right) / 2, top - 44)], mood.bright[0])
    c.box((tower + right) / 2 - 26, top + 28, 52, 62, mood.dark, r=24)
    c.line(
        [(tower + 14, top + 100), (c.w * 0.46, c.h * 0.58), (c.w * 0.3, c.h * 0.8), (c.w * 0.1, c.h * 0.84)],
        mood.dark,
        52,
    )
    c.line(
        [(tower + 14, top + 96), (c.w * 0.46, c.h * 0.57), (c.w * 0.3, c.h * 0.79), (c.w * 0.1, c.h * 0.83)],
        mood.bright[1],
        46,
    )
    c.line(
        [(tower + 4, top + 90), (c.w * 0.45, c.h * 0.55), (c.w * 0.29, c.h * 0.77), (c.w * 0.1, c.h * 0.81)],
        "#ffe7a8",
        14,
    )
    colours = ("#c4351a", "#ffc14a", "#1d7a4b", "#2f7fc0", "#e2557f", "#8a6fc0", "#fffaf3")
    for row in range(4):
        y = c.h * 0.8 + row * 19
        for step in range(int(c.w / 24) + 2):
            x = step * 24 + (12 if row % 2 else 0) + chance.uniform(-3, 3)
            c.disc(x, y + 2, 15.5, mood.dark)
            c.disc(x, y, 15, chance.choice(colours))
            c.oval(x - 5, y - 6, 4, 2.6, "#ffffff")


def bunting(c: Canvas, mood: Mood, lift: float) -> None:
    """Paint little flags on a string."""
    for step in range(9):
        x, w = c.w * step / 9, c.w / 9
        y = c.h * lift + 14 * (1 - ((step - 4) / 4) ** 2)
        c.line([(x, y), (x + w, y)], "#fff6ea", 2)
        c.shape([(x + 3, y), (x + w - 3, y), (x + w / 2, y + 30)], mood.bright[step % len(mood.bright)])


def blocks(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint toys on the floor of the playhouse."""
    edge = moods.wall(c, mood, floor=0.7)
    bunting(c, mood, 0.08)
    c.glow(c.cx, c.h * 0.44, c.w * 0.26, c.h * 0.2, "#fff6da", 0.7)
    base, size, colours = (
        edge + c.h * 0.16,
        46,
        ["#c4351a", "#ffc14a", "#1d7a4b", "#2f7fc0", "#e2557f", "#8a6fc0"],
    )
    chance.shuffle(colours)
    c.glow(c.w * 0.36, base, 100, 13, "#1c0a04", 0.4)
    for place, (column, row) in enumerate(((0, 0), (1, 0), (2, 0), (0.5, 1), (1.5, 1), (1, 2))):
        x, y = c.w * 0.36 - 69 + column * size, base - (row + 1) * size
        c.box(x, y, size - 2, size - 2, colours[place], r=6)
        c.box(x + 6, y + 6, size - 14, size - 14, "#fff6ea", r=5)
        c.blob(
            points_on_circle(x + size / 2 - 1, y + size / 2 - 1, 12, 3 + place % 4, turn=chance.random()),
            colours[place],
        )
    x, r = c.w * 0.8, 42
    c.glow(x, base, 50, 10, "#1c0a04", 0.4)
    c.disc(x, base - r, r, colours[0])
    c.blob(
        [
            (x - 34, base - r - 22),
            (x, base - r - 8),
            (x + 34, base - r - 22),
            (x + 40, base - r),
            (x, base - r + 14),
            (x - 40, base - r),
        ],
        "#fff6ea",
    )
    c.glow(x - 15, base - r * 1.5, 11, 8, "#ffffff", 0.6)


def party(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint balloons, confetti and a cake with candles."""
    edge = moods.wall(c, mood, floor=0.82)
    for _ in range(46):
        x, y = chance.uniform(0, c.w), chance.uniform(0, edge)
        c.shape(
            rotate([(-4, -2), (4, -2), (4, 2), (-4, 2)], x, y, chance.random()), chance.choice(mood.bright)
        )
    for step, place in enumerate((0.12, 0.25, 0.76, 0.89, 0.5)):
        x, y = c.w * place, c.h * (0.2 + 0.09 * (step % 3))
        c.line([(x, y + 40), (x + 7, y + 80), (x - 3, edge)], mood.dark, 1.2)
        c.oval(x, y, 30, 38, mood.bright[step % len(mood.bright)])
        c.shape([(x - 5, y + 43), (x + 5, y + 43), (x, y + 35)], mood.bright[step % len(mood.bright)])
        c.glow(x - 10, y - 13, 8, 11, "#ffffff", 0.65)
    x, y = c.cx, edge + 18
    c.glow(x, y, 100, 12, "#1c0a04", 0.5)
    c.oval(x, y - 4, 94, 13, "#fffaf3")
    for wide, low, high, colour in ((74, 0, 46, "#f4a6b7"), (50, 44, 40, "#fff1dc")):
        c.box(x - wide, y - 10 - low - high, 2 * wide, high, colour, r=9)
        for step in range(int(wide / 9)):
            c.disc(x - wide + 9 + step * 18, y - 10 - low - high + 6, 9.6, "#fffaf3")
    for step in range(-2, 3):
        px, py = x + step * 19, y - 94
        c.box(px - 3, py - 30, 6, 30, mood.bright[(step + 2) % 5], r=2)
        c.glow(px, py - 38, 13, 15, "#ffcf5c", 0.8)
        c.blob([(px, py - 47), (px + 4, py - 36), (px, py - 31), (px - 4, py - 36)], "#ff8c3c")
