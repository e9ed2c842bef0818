"""Paints pictures of food and games, seen from above."""

from random import Random

from apps.demo.pictures import moods
from apps.demo.pictures.canvas import Canvas, points_on_circle, rotate
from apps.demo.pictures.moods import Mood


def plate(c: Canvas, x: float, y: float, r: float, rim: str = "#fffaf3", inside: str = "#f4e8db") -> None:
    c.glow(x + r * 0.08, y + r * 0.14, r * 1.02, r * 1.02, "#2a1208", 0.4)
    c.disc(x, y, r, rim)
    c.disc(x, y, r * 0.88, inside)
    c.disc(x, y, r * 0.84, rim)


def chopsticks(c: Canvas, x: float, y: float, turn: float, colour: str) -> None:
    for shift in (-5, 5):
        [a, b] = rotate([(shift, -95), (shift * 0.4, 95)], x, y, turn)
        c.line([(a[0] + 2, a[1] + 4), (b[0] + 2, b[1] + 4)], "#5a3018", 3.4)
        c.line([a, b], colour, 3.6)
        [tip] = rotate([(shift, -74)], x, y, turn)
        c.line([a, tip], "#c4351a", 3.8)


def greens(c: Canvas, chance: Random, x: float, y: float, r: float, count: int) -> None:
    """Paint `count` scattered rings of scallion."""
    for _ in range(count):
        [(px, py)] = points_on_circle(x, y, r * chance.random() ** 0.6, 1, turn=chance.random())
        c.ring(px, py, chance.uniform(3, 4.6), chance.choice(("#3f8f4e", "#6fb15f", "#a4d178")), 1.7)


def egg(c: Canvas, x: float, y: float, size: float, turn: float) -> None:
    c.blob(
        rotate(
            [
                (0, -17 * size),
                (12 * size, -2),
                (10 * size, 13 * size),
                (-10 * size, 13 * size),
                (-12 * size, -2),
            ],
            x,
            y,
            turn,
        ),
        "#fffdf6",
    )
    c.disc(x, y, 8.6 * size, "#f08a1d")
    c.disc(x - 2 * size, y - 2 * size, 4.6 * size, "#ffb84a")


def noodles(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a bowl of noodles in broth."""
    moods.table(c, mood, chance)
    x, y, r = c.cx + chance.uniform(-14, 14), c.cy + 6, 116
    glaze = chance.choice(("#2f5d8c", "#7a1d2b", "#26423c", "#fffaf3"))
    plate(c, x, y, r, glaze, "#f6ead9")
    c.disc(x, y, r * 0.86, "#fdf3e3")
    c.disc(x, y, r * 0.8, chance.choice(("#b9541f", "#c98a3a", "#dba45a")))
    c.glow(x - 24, y - 34, 46, 30, "#ffd898", 0.5)
    for row in range(15):
        lift = (row - 7) * 7.4
        reach = (max(0.0, 78**2 - (lift * 1.25) ** 2)) ** 0.5
        wave = [
            (x - 12 + reach * t, y + 10 + lift + chance.uniform(-5, 5)) for t in (-0.9, -0.45, 0, 0.45, 0.9)
        ]
        c.line(wave, "#d79b45", 7)
        c.line(wave, chance.choice(("#f7d386", "#fbe0a2", "#f3c977")), 5.2)
    for turn in (0.08, 0.13):
        [(px, py)] = points_on_circle(x, y, 58, 1, turn=turn)
        c.oval(px, py, 22, 15, "#8d3b22")
        c.oval(px, py - 2, 20, 13, "#e2a487")
        c.line([(px - 12, py), (px, py - 5), (px + 12, py)], "#f7d3c0", 3)
    egg(c, x + 38, y + 44, 1.25, chance.random())
    c.blob(
        rotate(
            [(-26, -8), (0, -15), (26, -6), (20, 10), (-20, 10)], x - 50, y + 36, chance.uniform(-0.1, 0.1)
        ),
        "#2f6b3c",
    )
    c.line([(x - 72, y + 38), (x - 50, y + 34), (x - 28, y + 36)], "#8cc77d", 2)
    greens(c, chance, x - 6, y - 6, 60, 22)
    chopsticks(c, x + 104 if c.w > c.h else x + 60, y - 30, 0.11, "#a86a3c")
    c.steam(x - 30, y - 30, 90)


def dumplings(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a steamer full of dumplings, and a saucer."""
    moods.table(c, mood, chance)
    x, y, r = c.cx - (26 if c.w > c.h else 0), c.cy + (0 if c.w > c.h else 30), 118
    c.glow(x + 8, y + 14, r + 4, r + 4, "#2a1208", 0.45)
    for share, colour in (
        (1, "#8f5a2c"),
        (0.95, "#c58b4e"),
        (0.9, "#a4692f"),
        (0.86, "#e3bd83"),
        (0.84, "#f0d6a6"),
    ):
        c.disc(x, y, r * share, colour)
    for step in range(-5, 6):
        reach = max(0.0, (r * 0.82) ** 2 - (step * 17) ** 2) ** 0.5
        c.line([(x - reach, y + step * 17), (x + reach, y + step * 17)], "#dfb982", 1.4)
    c.blob(points_on_circle(x, y, r * 0.72, 9, turn=chance.random()), "#cfe3b4")
    for px, py in [(x, y), *points_on_circle(x, y, 62, 6, turn=chance.random() / 6)]:
        _dumpling(c, px, py, chance.random())
    sx, sy = (x + 152, y + 74) if c.w > c.h else (x + 78, y - 168)
    plate(c, sx, sy, 36, "#fffaf3", "#eadccb")
    c.disc(sx, sy, 26, "#4a1a0e")
    c.disc(sx + 6, sy + 4, 5, "#c4351a")
    c.glow(sx - 8, sy - 9, 8, 6, "#ffffff", 0.5)
    c.steam(x, y - 36, 110)


def _dumpling(c: Canvas, x: float, y: float, turn: float) -> None:
    c.glow(x + 3, y + 6, 27, 25, "#7c5a2c", 0.5)
    c.disc(x, y, 27, "#fbf1df")
    c.glow(x - 7, y - 8, 14, 12, "#ffffff", 0.9)
    for px, py in points_on_circle(x, y, 24, 11, turn=turn):
        c.line(
            [(x + (px - x) * 0.18, y + (py - y) * 0.18), ((px + x) / 2, (py + y) / 2 + 1), (px, py)],
            "#e6d2b3",
            1.6,
        )
    c.disc(x, y, 5, "#f3e2c6")
    c.disc(x, y, 2.4, "#d9bf96")


def hot_pot(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a pot of two broths, and what goes into it."""
    moods.table(c, mood, chance)
    x, y, r = c.cx, c.cy + 4, 96
    for place, (px, py) in enumerate(points_on_circle(x, y, 158, 6, turn=chance.random(), flat=0.86)):
        plate(c, px, py, 42)
        _bites(
            c, px, py, 28, chance, ("#e2776b", "#8cc77d", "#f7d386", "#f2b5a0", "#b9dba0", "#d9a066")[place]
        )
    c.glow(x + 6, y + 14, r + 10, r + 10, "#2a1208", 0.5)
    for side in (-1, 1):
        c.box(x + side * (r + 8) - 9, y - 16, 18, 32, "#6c6660", r=7)
    c.disc(x, y, r + 6, "#8d867f")
    c.disc(x, y, r, "#cdc6bd")
    c.disc(x, y, r - 7, "#c4351a")
    curve = [(x, y - r + 7), (x + 34, y - 40), (x, y), (x - 34, y + 40), (x, y + r - 7)]
    c.blob([*curve, *points_on_circle(x, y, r - 7, 10, turn=0.5)[1:6]], "#f6e3bd")
    c.line(curve, "#cdc6bd", 5)
    for _ in range(26):
        [(px, py)] = points_on_circle(x, y, (r - 20) * chance.random() ** 0.5, 1, turn=chance.random())
        c.disc(
            px,
            py,
            chance.uniform(2, 5.5),
            chance.choice(("#ffb26b", "#8d1a10", "#fff4e0", "#3f8f4e", "#ffd98f")),
        )
    c.steam(x + 10, y - 10, 130)


def _bites(c: Canvas, x: float, y: float, r: float, chance: Random, colour: str) -> None:
    for px, py in [*points_on_circle(x, y, r * 0.66, 7, turn=chance.random()), (x, y)]:
        c.glow(px + 1, py + 3, r * 0.3, r * 0.26, "#4a2412", 0.35)
        c.blob(
            points_on_circle(px, py, r * chance.uniform(0.3, 0.4), 7, turn=chance.random(), flat=0.8), colour
        )
        c.oval(px - 2, py - 3, r * 0.13, r * 0.08, "#fff6ea")


def feast(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a table full of plates."""
    moods.table(c, mood, chance)
    wide = c.w > c.h
    places = [(0.27, 0.32, 66), (0.7, 0.27, 58), (0.52, 0.72, 72), (0.14, 0.82, 44), (0.88, 0.74, 50)]
    colours = ["#d9583a", "#6fa54f", "#e8a33a", "#a4542c", "#e07f97", "#f0cf7a"]
    chance.shuffle(colours)
    for (a, b, r), colour in zip(places, colours, strict=False):
        x, y = (a * c.w, b * c.h) if wide else (b * c.w, a * c.h)
        plate(c, x, y, r, chance.choice(("#fffaf3", "#fffaf3", "#2f5d8c", "#f3d9bd")), "#efe0cf")
        _bites(c, x, y, r * 0.74, chance, colour)
        greens(c, chance, x, y, r * 0.5, 7)
    chopsticks(c, c.w * 0.47, c.h * 0.42, chance.uniform(0.15, 0.3), "#7a4826")


def fish(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a whole fish with ginger and scallions."""
    moods.table(c, mood, chance)
    x, y = c.cx, c.cy
    c.glow(x + 8, y + 16, 158, 92, "#2a1208", 0.45)
    c.oval(x, y, 156, 92, "#fffaf3")
    c.oval(x, y, 142, 80, "#e3edf0")
    c.oval(x, y, 138, 76, "#fffaf3")
    c.oval(x - 6, y + 12, 112, 44, "#7a3a16")
    body = [(-108, 0), (-70, -30), (-10, -38), (50, -22), (86, -6), (86, 6), (50, 22), (-10, 36), (-70, 28)]
    turn = chance.uniform(-0.03, 0.03)
    c.blob(rotate([(80, 0), (118, -36), (108, 0), (118, 36)], x, y, turn), "#b5653a")
    c.blob(rotate(body, x, y, turn), "#d98a55")
    c.blob(rotate([(px * 0.92, py * 0.7 - 5) for px, py in body], x, y, turn), "#edb07d")
    for cut in (-46, -16, 14, 42):
        c.line(rotate([(cut - 7, -22), (cut + 4, 0), (cut - 2, 22)], x, y, turn), "#8d3f1c", 4)
    [(ex, ey)] = rotate([(-86, -7)], x, y, turn)
    c.disc(ex, ey, 6, "#fffaf3")
    c.disc(ex, ey, 3, "#2a1208")
    for _ in range(26):
        px, py = x + chance.uniform(-60, 70), y + chance.uniform(-26, 22)
        bend = chance.uniform(-9, 9)
        c.line(
            [(px - 13, py), (px, py + bend), (px + 13, py + 2)],
            chance.choice(("#3f8f4e", "#7dbb68", "#f6dd9b", "#c4351a")),
            2.2,
        )
    c.steam(x - 20, y - 20, 84)


def skewers(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint skewers from the grill."""
    moods.table(c, mood, chance)
    x, y = c.cx, c.cy
    c.glow(x + 6, y + 12, 152, 112, "#1c0a04", 0.4)
    c.box(x - 146, y - 104, 292, 208, "#39302c", r=16)
    c.box(x - 134, y - 92, 268, 184, "#4c413b", r=10)
    for step in range(-4, 5):
        c.line([(x + step * 30, y - 90), (x + step * 30, y + 90)], "#2d2623", 2)
    for row in range(4):
        at = y - 64 + row * 42
        c.line([(x - 168, at + 8), (x + 130, at - 8)], "#e3bd83", 3.4)
        kinds = ("#a4492a", "#7f2f1a", "#c9723e") if row % 2 else ("#5d9a4c", "#a4492a", "#e0930a", "#c4351a")
        for step in range(7):
            px, py = x - 96 + step * 34, at + 5 - step * 2
            c.box(px - 15, py - 14, 30, 28, "#2b120a", r=9)
            c.box(px - 14, py - 14, 28, 26, kinds[step % len(kinds)], r=9)
            c.line([(px - 7, py - 8), (px + 6, py - 9)], "#f2b184", 2.4)
    greens(c, chance, x, y, 110, 26)
    c.steam(x, y - 20, 120)


def cakes(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint small cakes in rows."""
    moods.table(c, mood, chance)
    columns, rows = (4, 3) if c.w > c.h else (3, 4)
    tops = ["#e2557f", "#f6d7b0", "#8a4b2a", "#b6d48f", "#f7c948", "#f4a6b7"]
    for row in range(rows):
        for column in range(columns):
            x, y = (column + 0.5) * c.w / columns, (row + 0.5) * c.h / rows
            top = chance.choice(tops)
            c.glow(x + 3, y + 7, 38, 36, "#2a1208", 0.4)
            for px, py in points_on_circle(x, y, 35, 16):
                c.disc(px, py, 6.4, "#fff7ec")
            c.disc(x, y, 36, "#fff7ec")
            c.disc(x, y, 30, "#d99a5b")
            c.blob(points_on_circle(x, y, 26, 9, turn=chance.random()), top)
            c.glow(x - 8, y - 9, 11, 8, "#ffffff", 0.55)
            c.disc(x + 2, y, 8, chance.choice(("#b0123f", "#c4351a", "#3b1f10", "#fff4e6")))
            c.disc(x, y - 2.4, 2.4, "#ffffff")


def game_night(c: Canvas, mood: Mood, chance: Random) -> None:
    """Paint a board, dice and cards."""
    moods.table(c, mood, chance)
    x, y = c.cx, c.cy
    c.glow(x + 6, y + 12, 118, 118, "#1c0a04", 0.4)
    c.box(x - 112, y - 112, 224, 224, mood.dark, r=12)
    for row in range(8):
        for column in range(8):
            c.box(
                x - 104 + column * 26,
                y - 104 + row * 26,
                26,
                26,
                "#f6e3c5" if (row + column) % 2 else "#b5653a",
            )
    for _ in range(13):
        px, py = x - 91 + 26 * chance.randrange(8), y - 91 + 26 * chance.randrange(8)
        colour = chance.choice(mood.bright)
        c.glow(px + 2, py + 4, 11, 10, "#1c0a04", 0.5)
        c.disc(px, py, 10.5, colour)
        c.disc(px, py, 6.4, "#ffffff")
        c.disc(px, py, 4.4, colour)
    for px, py, turn in ((x + 150, y - 70, 0.05), (x + 158, y - 48, 0.1), (x - 156, y + 60, -0.06)):
        card = [(-24, -35), (24, -35), (24, 35), (-24, 35)]
        c.shape(rotate(card, px + 2, py + 4, turn), mood.dark)
        c.shape(rotate(card, px, py, turn), "#fffaf3")
        c.blob(rotate([(0, 13), (-13, -4), (-6, -14), (0, -8), (6, -14), (13, -4)], px, py, turn), "#c4351a")
    for px, py in ((x - 148, y - 66), (x + 146, y + 74), (x - 30, y + 146), (x + 20, y - 148)):
        c.box(px - 17, py - 15, 36, 36, mood.dark, r=8)
        c.box(px - 18, py - 18, 36, 36, "#fffdf8", r=8)
        for dx, dy in ((-8, -8), (8, 8), (-8, 8), (8, -8), (0, 0)):
            c.disc(px + dx, py + dy, 3, "#c4351a")
