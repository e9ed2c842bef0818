"""Motifs of singing, sports, children and parties: each function returns SVG elements around (0, 0)."""

from random import Random

from apps.shops.covers import svg_shapes
from apps.shops.covers.palette import Palette


def microphone(chance: Random, c: Palette) -> str:
    beams = "".join(
        svg_shapes.path(f"M{x} -170L{x + lean} 110h{90}Z", c.light, opacity=0.22)
        for x, lean in ((-120, -60), (0, -40), (130, -50))
    )
    mesh = svg_shapes.line("M-38 -62H38M-42 -44H42M-36 -26H36M-20 -82V-8M0 -86V-4M20 -82V-8", c.glow, 3)
    head = svg_shapes.circle(0, -46, 46, c.dark) + mesh + svg_shapes.rect(-34, -6, 68, 16, c.second, r=6)
    body = svg_shapes.path("M-26 10H26L14 104q-14 12-28 0Z", c.main) + svg_shapes.circle(0, 34, 7, c.second)
    turn = chance.choice((-24, -16, 20, 28))
    return beams + svg_shapes.group(body, head, turn=turn, size=1.08) + _notes(chance, c)


def notes_and_screen(chance: Random, c: Palette) -> str:
    screen = svg_shapes.rect(-116, -84, 232, 136, c.dark, r=14) + svg_shapes.rect(
        -104, -72, 208, 112, c.near, r=8
    )
    bars = "".join(
        svg_shapes.rect(-88 + 25 * n, 30 - tall, 15, tall, chance.choice((c.second, c.light, c.glow)), r=5)
        for n in range(8)
        for tall in (chance.randint(14, 86),)
    )
    stand = svg_shapes.rect(-12, 50, 24, 30, c.dark) + svg_shapes.rect(-60, 78, 120, 14, c.dark, r=7)
    return stand + screen + bars + _notes(chance, c)


def _notes(chance: Random, c: Palette) -> str:
    note = (
        svg_shapes.line("M0 0V-46L30 -54V-10", c.second, 6)
        + svg_shapes.ellipse(-8, 2, 11, 8, c.second)
        + svg_shapes.ellipse(22, -8, 11, 8, c.second)
    )
    places = chance.sample(((-140, -20), (120, -50), (-110, -80), (138, 40)), 2)
    return "".join(svg_shapes.group(note, x=x, y=y, size=chance.uniform(0.8, 1.1)) for x, y in places)


def dumbbell(chance: Random, c: Palette) -> str:
    weights = "".join(
        svg_shapes.rect(x, -tall / 2, 26, tall, colour, r=8)
        for x, tall, colour in ((-112, 96, c.dark), (-82, 132, c.main), (56, 132, c.main), (86, 96, c.dark))
    )
    bar = svg_shapes.rect(-128, -10, 256, 20, "#7a858c", r=10)
    floor = svg_shapes.ellipse(0, 92, 132, 12, c.dark, opacity=0.22)
    bottle = svg_shapes.rect(0, 26, 34, 64, c.second, r=8) + svg_shapes.rect(8, 10, 18, 18, c.dark, r=4)
    return (
        floor
        + svg_shapes.group(bar, weights, turn=chance.choice((-18, -12, 14)), y=-6)
        + svg_shapes.group(bottle, x=chance.choice((-90, 70)))
    )


def kettlebell(chance: Random, c: Palette) -> str:
    bell = (
        svg_shapes.line("M-34 -10C-56 -96 56 -96 34 -10", c.dark, 18)
        + svg_shapes.circle(0, 34, 58, c.main)
        + svg_shapes.circle(0, 34, 26, c.light)
    )
    mark = svg_shapes.path("M4 16L-10 38H0L-4 54L12 30H2Z", c.second)
    small = svg_shapes.group(bell, x=104, y=42, size=0.52)
    rope = svg_shapes.line("M-140 70c-10-70 40-110 60-60s-50 70-20 86", c.second, 8)
    return (
        svg_shapes.ellipse(0, 92, 138, 12, c.dark, opacity=0.22)
        + rope
        + small
        + svg_shapes.group(bell, mark, x=chance.randint(-14, 4))
    )


def blocks(chance: Random, c: Palette) -> str:
    bow = "".join(
        svg_shapes.line(f"M{-r} 84A{r} {r} 0 0 1 {r} 84", colour, 19)
        for r, colour in ((128, c.main), (108, c.second), (88, c.light), (68, c.near))
    )
    colours = [c.main, c.second, c.near, c.dark]
    chance.shuffle(colours)
    tower = svg_shapes.rect(-46, 40, 46, 46, colours[0], r=6) + svg_shapes.rect(
        4, 40, 46, 46, colours[1], r=6
    )
    roof = svg_shapes.path("M-28 -8L2 -48L32 -8Z", colours[2]) + svg_shapes.rect(
        -22, -6, 48, 46, colours[3], r=6
    )
    marks = svg_shapes.circle(-23, 63, 11, c.light) + svg_shapes.path(
        "M27 50l4 9 10 1-8 7 3 10-9-6-9 6 3-10-8-7 10-1Z", c.light
    )
    return bow + tower + roof + marks + svg_shapes.circle(2, 17, 10, c.light)


def kite(chance: Random, c: Palette) -> str:
    sail = (
        svg_shapes.path("M0 -96L62 -18L0 74L-62 -18Z", c.main)
        + svg_shapes.path("M0 -96L62 -18L0 -18Z", c.second)
        + svg_shapes.path("M0 74L-62 -18L0 -18Z", c.near)
    )
    tail = svg_shapes.line("M0 74c-30 16 26 34-6 54s18 26 4 42", c.dark, 5)
    bows = "".join(
        svg_shapes.path(f"M{x} {y}l-15-9v18ZM{x} {y}l15-9v18Z", c.second)
        for x, y in ((-8, 96), (4, 118), (-6, 138))
    )
    clouds = "".join(
        svg_shapes.ellipse(x, y, 40, 17, c.light, opacity=0.9)
        + svg_shapes.circle(x - 8, y - 12, 20, c.light, opacity=0.9)
        for x, y in ((-128, -50), (120, 24))
    )
    return clouds + svg_shapes.group(sail, tail, bows, turn=chance.choice((-18, 16, 22)), size=0.92, y=-14)


def balloons(chance: Random, c: Palette) -> str:
    colours = [c.main, c.second, c.near, c.far, c.light]
    chance.shuffle(colours)
    parts = []
    for (x, y), colour in zip(((-72, -26), (64, -34), (0, -66), (-30, 4), (36, 8)), colours, strict=True):
        string = svg_shapes.line(f"M{x} {y + 46}Q{x / 2} 74 0 118", c.dark, 2.5, opacity=0.6)
        knot = svg_shapes.path(f"M{x - 7} {y + 52}L{x} {y + 42}L{x + 7} {y + 52}Z", colour)
        shine = svg_shapes.ellipse(x - 14, y - 18, 8, 13, "#ffffff", opacity=0.5)
        parts.append(string + svg_shapes.ellipse(x, y, 38, 46, colour) + knot + shine)
    flakes = "".join(
        svg_shapes.rect(
            chance.randint(-180, 180),
            chance.randint(-120, 100),
            9,
            9,
            chance.choice(colours),
            r=chance.choice((1, 5)),
        )
        for _ in range(22)
    )
    return flakes + "".join(parts)


def cake(chance: Random, c: Palette) -> str:
    flags = svg_shapes.line("M-200 -124Q0 -60 200 -124", c.dark, 3) + "".join(
        svg_shapes.path(f"M{x} {-124 + (200 - abs(x)) ** 2 / -40000 * -60}l26 0-13 30Z", colour)
        for x, colour in zip(
            range(-150, 151, 50), (c.main, c.second, c.near, c.light, c.main, c.second, c.near), strict=True
        )
    )
    tiers = svg_shapes.rect(-92, 30, 184, 62, c.main, r=10) + svg_shapes.rect(-62, -20, 124, 54, c.near, r=10)
    icing = svg_shapes.path(
        "M-92 44V36q0-8 10-8H82q10 0 10 8v8" + "q-12 22-23 0" * 8 + "Z",
        c.light,
    )
    candles = "".join(
        svg_shapes.rect(x - 5, -56, 10, 38, c.second, r=3)
        + svg_shapes.path(f"M{x} -82c-9 12-7 20 0 20s9-8 0-20Z", "#ffb53d")
        for x in ((-36, 0, 36) if chance.random() < 0.5 else (-42, -14, 14, 42))
    )
    return flags + svg_shapes.ellipse(0, 94, 128, 12, c.dark, opacity=0.25) + candles + tiers + icing
