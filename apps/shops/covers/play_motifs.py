"""More motifs of singing, sports, children and parties: each function returns SVG elements around (0, 0)."""

from math import cos, pi, sin
from random import Random

from apps.shops.covers import svg_shapes
from apps.shops.covers.palette import Palette


def headphones(chance: Random, c: Palette) -> str:
    band = svg_shapes.line("M-78 26C-92 -112 92 -112 78 26", c.dark, 17)
    pads = "".join(
        svg_shapes.rect(x - 26, -6, 52, 88, c.main, r=24)
        + svg_shapes.rect(x - 12, 10, 24, 56, c.second, r=12)
        for x in (-78, 78)
    )
    bars = "".join(
        svg_shapes.rect(-34 + 17 * step, 40 - tall / 2, 10, tall, c.light, r=5)
        for step in range(5)
        for tall in (chance.randint(16, 74),)
    )
    return band + bars + pads


def record(chance: Random, c: Palette) -> str:
    sleeve = svg_shapes.rect(-124, -78, 166, 166, c.main, r=10) + svg_shapes.circle(-41, 5, 44, c.near)
    grooves = "".join(
        svg_shapes.circle(44, 5, r, colour)
        for r, colour in ((82, c.dark), (66, "#3a3a40"), (62, c.dark), (48, "#3a3a40"), (44, c.dark))
    )
    label = svg_shapes.circle(44, 5, 30, c.second) + svg_shapes.circle(44, 5, 6, c.light)
    shine = svg_shapes.path("M44 5L96 -58A82 82 0 0 1 116 -32Z", "#ffffff", opacity=0.14)
    return sleeve + svg_shapes.group(grooves, label, shine, turn=chance.choice((0, 3)))


def mirror_ball(chance: Random, c: Palette) -> str:
    start = chance.random() * 2 * pi
    beams = "".join(_beam(start + step * pi / 3, c) for step in range(6))
    ball = svg_shapes.circle(0, 6, 78, c.near)
    tiles = "".join(
        svg_shapes.rect(x - 9, y - 8, 17, 15, chance.choice((c.main, c.second, c.light, c.glow, c.far)), r=3)
        for y in range(-50, 74, 20)
        for x in range(-60, 70, 22)
        if x * x + (y - 6) ** 2 < 66 * 66
    )
    return beams + svg_shapes.line("M0 -170V-72", c.dark, 5) + ball + tiles


def _beam(angle: float, c: Palette) -> str:
    ends = (f"{260 * cos(side):.0f} {260 * sin(side):.0f}" for side in (angle, angle + 0.2))
    return svg_shapes.path(f"M0 -10L{'L'.join(ends)}Z", c.light, opacity=0.25)


def ball(chance: Random, c: Palette) -> str:
    floor = svg_shapes.ellipse(0, 92, 126, 12, c.dark, opacity=0.22)
    sphere = svg_shapes.circle(-26, 14, 76, c.second)
    seams = svg_shapes.line("M-102 14H50M-26 -62V90M-82 -38Q-34 14-82 66M30 -38Q-18 14 30 66", c.dark, 5)
    shoe = svg_shapes.path("M40 84V44q24 10 34-4 16 26 54 28v16Z", c.main) + svg_shapes.rect(
        38, 82, 92, 10, c.light, r=5
    )
    laces = svg_shapes.line("M74 52l14 8M84 60l14 6", c.light, 4)
    return floor + svg_shapes.group(sphere, seams, turn=chance.randint(-12, 12)) + shoe + laces


def yoga_mat(chance: Random, c: Palette) -> str:
    mat = svg_shapes.path("M-130 92L-76 44H128L86 92Z", c.main) + svg_shapes.circle(-104, 68, 27, c.near)
    spiral = svg_shapes.line("M-104 68m-14 0a14 14 0 1 1 14 14", c.dark, 4)
    figure = (
        svg_shapes.circle(14, -62, 19, c.dark)
        + svg_shapes.path("M-12 -34h52l-10 60H-2Z", c.second)
        + svg_shapes.line("M-10 -28L-46 6M38 -28L74 6", c.dark, 11)
        + svg_shapes.path("M-50 52C-40 20 -4 18 14 22S68 20 78 52Z", c.dark)
    )
    sun = svg_shapes.circle(14, -30, chance.randint(74, 88), c.light, opacity=0.45)
    return sun + mat + spiral + figure


def train(chance: Random, c: Palette) -> str:
    rails = svg_shapes.rect(-140, 84, 280, 8, c.dark, r=4)
    engine = svg_shapes.rect(-20, -10, 96, 70, c.main, r=14) + svg_shapes.rect(
        -64, -52, 62, 112, c.second, r=10
    )
    window = svg_shapes.rect(-54, -38, 42, 36, c.light, r=6)
    chimney = svg_shapes.path("M36 -10V-44H28V-58H70V-44H62V-10Z", c.dark)
    puffs = "".join(
        svg_shapes.circle(50 - 26 * step, -78 - 12 * step, 15 + 5 * step, c.light, opacity=0.85)
        for step in range(chance.choice((2, 3)))
    )
    wheels = "".join(
        svg_shapes.circle(x, 64, 24, c.dark) + svg_shapes.circle(x, 64, 10, c.light) for x in (-44, 8, 56)
    )
    car = svg_shapes.rect(-134, 10, 62, 48, c.near, r=8) + svg_shapes.circle(-104, 66, 17, c.dark)
    return rails + puffs + car + engine + window + chimney + wheels


def duck(chance: Random, c: Palette) -> str:
    waves = "".join(
        svg_shapes.line(f"M-140 {y}q18-18 36 0t36 0 36 0 36 0 36 0 36 0 36 0 36 0", colour, 9)
        for y, colour in ((84, c.near), (66, c.far))
    )
    body = svg_shapes.path(
        "M-92 8C-60 24-40 4-8 4C48 4 88 14 78 44C66 86-48 88-78 50Q-92 32-92 8Z", "#f7d154"
    )
    head = svg_shapes.circle(42, -26, 44, "#f7d154") + svg_shapes.path("M78 -28l38 8-34 18Z", "#ef8a2b")
    eye = svg_shapes.circle(54, -36, 7, c.dark) + svg_shapes.circle(57, -39, 2.5, c.light)
    wing = svg_shapes.path("M-44 30q40-24 66 4-20 32-66-4Z", "#e3b02e")
    bubbles = "".join(
        svg_shapes.circle(x, chance.randint(-84, -40), chance.randint(9, 17), c.light, opacity=0.8)
        for x in (-112, -72, -30)
    )
    return bubbles + body + wing + head + eye + waves


def gift(chance: Random, c: Palette) -> str:
    box = svg_shapes.rect(-84, -14, 168, 104, c.main, r=8) + svg_shapes.rect(-94, -44, 188, 38, c.near, r=8)
    ribbon = svg_shapes.rect(-15, -44, 30, 134, c.second)
    bow = svg_shapes.path("M0 -44C-70 -112-96 -58-56 -46Z", c.second) + svg_shapes.path(
        "M0 -44C70 -112 96 -58 56 -46Z", c.second
    )
    confetti = "".join(
        svg_shapes.group(
            svg_shapes.rect(-5, -3, 10, 6, chance.choice((c.main, c.second, c.near, c.light))),
            x=chance.randint(-140, 140),
            y=chance.randint(-110, -60),
            turn=chance.randint(0, 90),
        )
        for _ in range(14)
    )
    return svg_shapes.ellipse(0, 94, 116, 10, c.dark, opacity=0.22) + confetti + box + ribbon + bow


def lanterns(chance: Random, c: Palette) -> str:
    parts = [svg_shapes.line("M-150 -92Q0 -58 150 -92", c.dark, 5)]
    for x, drop, size in ((-88, -78, 0.8), (0, -70, 1.15), (88, -78, chance.choice((0.7, 0.8)))):
        body = svg_shapes.ellipse(0, 62, 52, 44, c.main)
        ribs = svg_shapes.line("M-26 26Q-46 62-26 98M0 18V106M26 26Q46 62 26 98", c.second, 4)
        caps = svg_shapes.rect(-22, 12, 44, 12, c.dark, r=4) + svg_shapes.rect(-22, 100, 44, 12, c.dark, r=4)
        tassel = svg_shapes.line("M0 112V148", c.second, 6) + svg_shapes.line("M0 0V14", c.dark, 4)
        parts.append(svg_shapes.group(body, ribs, caps, tassel, x=x, y=drop, size=size))
    return "".join(parts)
