"""Paints pictures of hair, nail and spa shops."""

from random import Random

from apps.demo.pictures import moods
from apps.demo.pictures.canvas import Canvas, points_on_circle, rotate
from apps.demo.pictures.moods import Mood

SKIN = (("#f6cda9", "#e3ac84"), ("#e9b48c", "#cf9064"), ("#f9d9bd", "#e8b896"))


def nails(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a hand with painted nails."""
    moods.table(c, mood, chance)
    skin, shade = chance.choice(SKIN)
    lacquer = chance.sample(
        ("#c4351a", "#b0123f", "#e2557f", "#2f5d8c", "#1d7a4b", "#6a2338", "#e8b4a0", "#3b3f5c"), 2
    )
    x, y = c.cx, c.h * 0.66
    c.glow(x + 8, y + 12, 96, 88, "#2a1208", 0.35)
    c.blob(
        [
            (x - 62, y - 30),
            (x + 58, y - 40),
            (x + 74, y + 40),
            (x + 52, c.h + 50),
            (x - 50, c.h + 50),
            (x - 66, y + 40),
        ],
        skin,
    )
    fingers = ((-52, -118, -0.035), (-18, -142, -0.012), (18, -140, 0.014), (52, -112, 0.04))
    for place, (shift, reach, turn) in enumerate(fingers):
        _finger(
            c, (x + shift, y), reach, turn, (skin, shade), lacquer[place % 2 if chance.random() < 0.7 else 0]
        )
    c.line([(x + 62, y + 44), (x + 98, y + 6), (x + 120, y - 38)], skin, 34)
    _nail(c, x + 124, y - 46, 0.08, lacquer[0], 1.05)
    for shift in (-35, 0, 35):
        c.line([(x + shift, y - 22), (x + shift * 0.95, y + 4)], shade, 1.6)
    for step in range(3):
        px, py = c.w * (0.08 + 0.07 * step), c.h * (0.16 + 0.12 * step)
        c.blob(
            points_on_circle(px, py, 12 - step, 5, turn=chance.random()), mood.bright[step % len(mood.bright)]
        )
        c.disc(px, py, 4, "#ffd98f")


def _finger(
    c: Canvas, root: tuple[float, float], reach: float, turn: float, skin: tuple[str, str], lacquer: str
) -> None:
    [middle, tip] = rotate([(0, reach * 0.5), (0, reach)], *root, turn)
    c.line([(root[0], root[1] + 10), middle, tip], skin[0], 33)
    for place in (0.42, 0.5):
        c.line(rotate([(-9, reach * place), (9, reach * place)], *root, turn), skin[1], 1.4)
    _nail(c, *tip, turn, lacquer, 1)


def _nail(c: Canvas, x: float, y: float, turn: float, colour: str, size: float) -> None:
    outline = [(-10, 10), (-11, -8), (-7, -22), (0, -27), (7, -22), (11, -8), (10, 10), (0, 14)]
    c.blob(rotate([(px * size, py * size) for px, py in outline], x, y, turn), colour)
    [(sx, sy)] = rotate([(-4 * size, -6 * size)], x, y, turn)
    c.glow(sx, sy, 3, 10, "#ffffff", 0.8)


def lacquers(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint bottles of lacquer in a row."""
    edge = moods.wall(c, mood, floor=0.72)
    c.glow(c.cx, c.h * 0.4, c.w * 0.32, c.h * 0.3, "#ffffff", 0.5)
    colours = ["#c4351a", "#e2557f", "#6a2338", "#2f5d8c", "#e8b4a0", "#1d7a4b", "#e0930a", "#8a6fc0"]
    chance.shuffle(colours)
    many = 5 if c.w > c.h else 4
    for step in range(many):
        x, y = c.w * (step + 0.5) / many, edge + 14 + 14 * (step % 2)
        size = chance.uniform(0.9, 1.12)
        c.glow(x, y, 40, 8, "#1c0a04", 0.45)
        c.box(x - 11 * size, y - 150 * size, 22 * size, 80 * size, "#2a1a15", r=6)
        c.line([(x - 5 * size, y - 142 * size), (x - 5 * size, y - 84 * size)], "#6b5a54", 2)
        c.box(x - 31 * size, y - 74 * size, 62 * size, 74 * size, "#ffffff", r=16)
        c.box(x - 28 * size, y - 68 * size, 56 * size, 66 * size, colours[step], r=14)
        c.glow(x - 15 * size, y - 38 * size, 6, 24 * size, "#ffffff", 0.6)
    for _ in range(5):
        px, py, colour = (
            chance.uniform(20, c.w - 20),
            c.h * chance.uniform(0.06, 0.24),
            chance.choice(colours),
        )
        c.blob([(px, py - 15), (px + 9, py + 4), (px, py + 13), (px - 9, py + 4)], colour)


def stones(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint warm stones, a candle, an orchid."""
    edge = moods.wall(c, mood, floor=0.7)
    c.glow(c.cx, c.h * 0.42, c.w * 0.3, c.h * 0.3, "#fff6da", 0.6)
    x, y = c.w * 0.34, edge + c.h * 0.16
    c.glow(x, y + 4, 100, 16, "#1c0a04", 0.5)
    for rx, colour in ((84, "#3e4a4f"), (66, "#56656b"), (48, "#738389"), (31, "#94a2a6")):
        y -= rx * 0.27
        c.oval(x + chance.uniform(-6, 6), y, rx, rx * 0.3, colour)
        c.glow(x - rx * 0.3, y - rx * 0.12, rx * 0.3, rx * 0.07, "#ffffff", 0.5)
        y -= rx * 0.2
    for place, tall in ((0.66, 66), (0.8, 44)):
        px, base = c.w * place, edge + c.h * 0.16
        c.glow(px, base - tall - 24, 44, 52, "#ffcf5c", 0.7)
        c.box(px - 23, base - tall, 46, tall, "#fff3dd", r=6)
        c.oval(px, base - tall, 23, 6, "#f6dfb8")
        c.blob(
            [
                (px, base - tall - 34),
                (px + 8, base - tall - 14),
                (px, base - tall - 4),
                (px - 8, base - tall - 14),
            ],
            "#ff9d3c",
        )
        c.disc(px, base - tall - 11, 3.6, "#fff6c8")
    stem = [(c.w * 0.98, c.h), (c.w * 0.93, c.h * 0.5), (c.w * 0.72, c.h * 0.16), (c.w * 0.55, c.h * 0.12)]
    c.line(stem, "#5d8a55", 4)
    for px, py in ((c.w * 0.9, c.h * 0.42), (c.w * 0.78, c.h * 0.23), (c.w * 0.63, c.h * 0.13)):
        _orchid(c, px, py, chance)


def _orchid(c: Canvas, x: float, y: float, chance: Random) -> None:
    turn = chance.random()
    for px, py in points_on_circle(x, y, 17, 5, turn=turn):
        c.blob(points_on_circle(px, py, 14, 7), "#fdf0f5")
        c.glow(px, py, 7, 7, "#e69ab8", 0.5)
    c.disc(x, y, 8, "#b0346b")
    c.disc(x, y, 4, "#ffd36b")


def hot_spring(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a pool between rocks, a lantern, the moon."""
    c.ground(mood.top, mood.bottom)
    c.glow(c.w * 0.76, c.h * 0.2, 62, 62, "#fff3c4", 0.55)
    c.disc(c.w * 0.76, c.h * 0.2, 27, "#fff6da")
    for lift, colour in ((0.4, mood.line), (0.5, mood.dark)):
        ridge = [
            (0, c.h * (lift + 0.08)),
            (c.w * 0.22, c.h * (lift - 0.08)),
            (c.w * 0.46, c.h * (lift + 0.07)),
            (c.w * 0.7, c.h * (lift - 0.03)),
            (c.w, c.h * (lift + 0.1)),
        ]
        c.shape([*ridge, (c.w, c.h), (0, c.h)], colour)
    c.oval(c.cx, c.h * 0.84, c.w * 0.56, c.h * 0.26, "#2d6f78")
    c.oval(c.cx, c.h * 0.85, c.w * 0.52, c.h * 0.22, "#4fa3a5")
    c.glow(c.cx + 30, c.h * 0.8, c.w * 0.22, c.h * 0.06, "#d6f5ec", 0.7)
    for px, py in points_on_circle(c.cx, c.h * 0.84, c.w * 0.55, 26, flat=0.36 * 400 / c.w):
        size = chance.uniform(17, 30)
        c.oval(px, py, size, size * 0.7, "#4a4f55")
        c.oval(px - 3, py - 4, size * 0.8, size * 0.5, chance.choice(("#6d737a", "#7f868c", "#5d636a")))
    x, y = c.w * 0.2, c.h * 0.6
    c.glow(x, y - 30, 52, 52, "#ffcf5c", 0.75)
    c.box(x - 20, y - 50, 40, 42, "#ffe2a0", r=5)
    c.shape([(x - 34, y - 50), (x + 34, y - 50), (x, y - 76)], "#3b2a22")
    c.box(x - 26, y - 10, 52, 9, "#3b2a22", r=3)
    c.box(x - 6, y - 2, 12, 34, "#3b2a22")
    for place in (0.36, 0.56, 0.72):
        c.steam(c.w * place, c.h * 0.82, 120)


def salon(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a mirror with lights, and the chair before it."""
    edge = moods.wall(c, mood, floor=0.8)
    x, y, r = c.cx, c.h * 0.36, 86
    c.glow(x, y, r + 30, r + 30, "#fff3c4", 0.7)
    c.disc(x, y, r, "#fff7ec")
    c.disc(x, y, r - 10, "#cfe3ea")
    c.shape([(x - 62, y + 34), (x + 20, y - 62), (x + 44, y - 48), (x - 40, y + 54)], "#e6f1f5")
    for px, py in points_on_circle(x, y, r - 5, 16):
        c.disc(px, py, 4.6, "#ffdf7a")
    c.box(x - 116, y + r + 12, 232, 10, "#8a5530", r=4)
    for step, colour in enumerate(("#c4351a", "#e0930a", "#1d7a4b", "#2f5d8c")):
        px = x - 104 + step * 20 if step < 2 else x + 44 + step * 16
        c.box(px, y + r - 24, 13, 36, colour, r=4)
        c.box(px + 3, y + r - 32, 7, 10, "#2a1a15", r=2)
    seat = chance.choice(("#7a1d2b", "#2f5d5c", "#3b3f5c", "#a85a32"))
    c.glow(x, edge + 26, 74, 12, "#1c0a04", 0.5)
    c.box(x - 7, edge - 18, 14, 40, "#7d8890")
    c.oval(x, edge + 24, 42, 8, "#9aa5ac")
    c.box(x - 50, edge - 104, 100, 80, seat, r=22)
    c.box(x - 34, edge - 124, 68, 40, seat, r=14)
    for side in (-1, 1):
        c.box(x + side * 56 - 11, edge - 66, 22, 44, seat, r=8)
    c.box(x - 58, edge - 40, 116, 26, seat, r=12)
    c.line([(x - 32, edge - 92), (x - 36, edge - 60)], "#ffffff", 2)
    if c.w > c.h:
        moods.plant(c, c.w * 0.09, edge + 18, 1.3, mood.bright[1])
        moods.lamp(c, c.w * 0.88, c.h * 0.12, mood.bright[0], "#ffe7a8")


def scissors(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint scissors, a comb and locks on the table."""
    moods.table(c, mood, chance)
    x, y, turn = c.cx, c.cy, chance.uniform(-0.06, 0.06)
    for side, colour in ((-1, "#8d979e"), (1, "#b7c0c6")):
        blade = [(side * 8, 20), (-side * 30, -118), (-side * 20, -122), (side * 22, 16)]
        c.shape(rotate([(px + 3, py + 7) for px, py in blade], x, y, turn), mood.line)
        c.shape(rotate(blade, x, y, turn), colour)
        [(hx, hy), (jx, jy)] = rotate([(side * 40, 84), (side * 14, 24)], x, y, turn)
        c.line([(jx, jy), (hx, hy)], "#c4351a", 12)
        c.ring(hx + side * 5, hy + 12, 33, "#c4351a", 12)
    c.disc(x, y + 16, 8, "#e8edf0")
    c.disc(x, y + 16, 3, "#5d6870")
    [(kx, ky)] = rotate([(-118, 0)], x, y, turn)
    c.box(kx - 14, ky - 96, 20, 192, "#3b1f10", r=6)
    for tooth in range(23):
        c.box(kx + 4, ky - 90 + tooth * 8, 24, 3.6, "#3b1f10", r=1.6)
    hair = chance.choice((("#3b1f10", "#6b3a22"), ("#a4632f", "#d39a5c"), ("#7a1d2b", "#b0445a")))
    for lock in range(3):
        px, py = x + 116, y - 84 + lock * 84
        for strand in range(11):
            out = strand * 3.4
            curl = [(px - 44 + out, py + 30), (px - 30 + out, py - 6 - out / 3), (px + 8, py - 22 + out / 2)]
            c.line([*curl, (px + 34 - out / 2, py + 2 + out / 3)], hair[strand % 2], 3)


def foot_bath(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a wooden tub with petals, towels beside it."""
    moods.table(c, mood, chance)
    x, y, r = c.cx - (34 if c.w > c.h else 0), c.cy + (0 if c.w > c.h else 34), 112
    c.glow(x + 8, y + 16, r + 4, r + 4, "#1f0d05", 0.45)
    c.disc(x, y, r, "#7d4a24")
    for px, py in points_on_circle(x, y, r - 7, 28):
        c.line([(x + (px - x) * 0.9, y + (py - y) * 0.9), (px, py)], "#5e3517", 1.6)
    c.disc(x, y, r * 0.88, "#b57c4a")
    c.disc(x, y, r * 0.84, "#4f9a9a")
    c.glow(x - 30, y - 30, 60, 50, "#d8f3ee", 0.6)
    for size in (0.7, 0.5, 0.3):
        c.ring(x + 10, y + 8, r * size, "#7cbcba", 1.3)
    for _ in range(22):
        [(px, py)] = points_on_circle(x, y, r * 0.74 * chance.random() ** 0.5, 1, turn=chance.random())
        petal = [(0, -11), (7, -2), (0, 9), (-7, -2)]
        c.blob(
            rotate(petal, px, py, chance.random()),
            chance.choice(("#d62f55", "#f08aa2", "#fbd3dc", "#b0123f")),
        )
    tx, ty = (x + 164, y + 20) if c.w > c.h else (x, y - 176)
    for step, colour in enumerate(("#fffaf3", "#f4dcc4", "#e9b79a")):
        c.glow(tx + 3, ty - 16 + step * 34, 36, 17, "#1f0d05", 0.3)
        c.box(tx - 36, ty - 34 + step * 32, 72, 28, colour, r=13)
        c.line([(tx - 22, ty - 20 + step * 32), (tx + 24, ty - 20 + step * 32)], "#d8b99d", 1.6)
    c.steam(x, y - 20, 100)
