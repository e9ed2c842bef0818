"""Motifs of places and sports in shops' names: each function returns SVG elements around (0, 0)."""

from random import Random

from apps.shops.covers import svg_shapes
from apps.shops.covers.palette import Palette

WATER, WATER_LIGHT, SKIN = "#4db3d6", "#c4ecf5", "#efbf96"


def pool(chance: Random, c: Palette) -> str:
    basin = svg_shapes.rect(-136, -50, 272, 142, c.light, r=18) + svg_shapes.rect(
        -124, -38, 248, 118, WATER, r=12
    )
    lanes = "".join(
        svg_shapes.circle(x, y, 5, c.main if (x // 12) % 2 else c.light)
        for y in (0, 42)
        for x in range(-118, 122, 12)
    )
    waves = "".join(
        svg_shapes.line(f"M{x} {y}q9-8 18 0t18 0", WATER_LIGHT, 4)
        for x, y in ((-104, -20), (40, -22), (-60, 24), (70, 22), (-108, 62), (10, 64))
    )
    x = chance.randint(-34, 14)
    swimmer = (
        svg_shapes.line(f"M{x} 22L{x - 60} 22", SKIN, 14)
        + svg_shapes.line(f"M{x} 18L{x + 34} 4L{x + 58} 20", SKIN, 11)
        + svg_shapes.circle(x + 26, 22, 16, SKIN)
        + svg_shapes.path(f"M{x + 10} 18a16 16 0 0 1 32 0Z", c.main)
    )
    splash = svg_shapes.line(f"M{x - 66} 12l-14-10M{x - 70} 24h-18M{x - 66} 34l-14 8", c.light, 5)
    ladder = svg_shapes.line(
        "M86 -86V-18M112 -86V-18M86 -64H112M86 -44H112M86 -86q0-14 13-14M112 -86q0-14 13-14", c.dark, 7
    )
    return basin + waves + lanes + splash + swimmer + ladder


def climbing_wall(chance: Random, c: Palette) -> str:
    wall = svg_shapes.path("M-120 -104H60L120 92H-120Z", c.near) + svg_shapes.path(
        "M-120 -104H-30L-60 92H-120Z", c.far
    )
    holds = "".join(
        svg_shapes.ellipse(x + chance.randint(-8, 8), y, chance.randint(9, 15), 9, colour)
        for (x, y), colour in zip(
            (
                (-96, -76),
                (-58, -40),
                (-100, 0),
                (-64, 40),
                (-92, 74),
                (0, -80),
                (44, -50),
                (70, 0),
                (20, 60),
                (84, 62),
            ),
            (c.second, c.main, c.light, c.second, c.main) * 2,
            strict=True,
        )
    )
    rope = svg_shapes.line("M18 -110V-40C18 0 34 40 26 96", c.light, 5)
    body = svg_shapes.line("M14 -6L22 36", c.main, 30)
    limbs = svg_shapes.line("M8 -14L-34 -44M22 -14L44 -48", SKIN, 12) + svg_shapes.line(
        "M14 46L-26 62M28 46L48 82", c.dark, 14
    )
    head = svg_shapes.circle(12, -38, 18, SKIN) + svg_shapes.path("M-7 -40a19 19 0 0 1 38-2Z", c.second)
    return wall + holds + rope + limbs + body + head


def boxing_gloves(chance: Random, c: Palette) -> str:
    glove = (
        svg_shapes.path("M-40 40C-66 -8 -54 -66 4 -66C48 -66 58 -24 44 40Z", c.main)
        + svg_shapes.path("M-34 -6C-62 -10 -60 34 -28 30Z", c.near)
        + svg_shapes.rect(-40, 38, 84, 40, c.light, r=8)
        + svg_shapes.rect(-40, 52, 84, 10, c.second)
        + svg_shapes.line("M-22 -40q18-14 40-8", c.light, 6, opacity=0.6)
    )
    laces = svg_shapes.line("M-46 -70C-30 -104 20 -104 46 -78", c.dark, 5)
    lean = chance.randint(10, 18)
    return (
        laces
        + f'<g transform="translate(-62 14) rotate({-lean})">{glove}</g>'
        + f'<g transform="translate(62 14) rotate({lean}) scale(-1 1)">{glove}</g>'
    )


def badminton(chance: Random, c: Palette) -> str:
    strings = "".join(svg_shapes.line(f"M{x} -52V52M-44 {x}H44", c.light, 2) for x in range(-36, 40, 12))
    head = svg_shapes.ellipse(0, 0, 50, 60, c.main) + svg_shapes.ellipse(0, 0, 42, 52, c.glow) + strings
    shaft = svg_shapes.rect(-4, 58, 8, 60, c.dark) + svg_shapes.rect(-9, 112, 18, 54, c.second, r=7)
    racket = svg_shapes.group(shaft, head, x=-36, y=-34, turn=chance.choice((-36, -28)), size=0.92)
    feathers = svg_shapes.path("M-36 -62L36 -62L18 12H-18Z", "#ffffff") + svg_shapes.line(
        "M-22 -60L-10 8M0 -62V8M22 -60L10 8M-30 -34H30M-24 -12H24", "#c9c4bb", 3
    )
    cork = svg_shapes.path("M-20 10H20V20C20 44 -20 44 -20 20Z", c.main) + svg_shapes.rect(
        -20, 8, 40, 8, c.second
    )
    return racket + svg_shapes.group(feathers, cork, x=76, y=40, turn=22)


def pottery(chance: Random, c: Palette) -> str:
    clay, shade = "#c8794a", "#9c5630"
    wheel = (
        svg_shapes.ellipse(0, 72, 120, 20, c.dark)
        + svg_shapes.ellipse(0, 66, 120, 18, "#8c979b")
        + svg_shapes.ellipse(0, 64, 84, 11, "#b7c0c6")
    )
    vase = svg_shapes.path(
        "M-30 -72C-24 -40 -68 -24 -66 18C-64 48 -42 64 0 64S64 48 66 18C68 -24 24 -40 30 -72Z", clay
    )
    mouth = svg_shapes.ellipse(0, -72, 31, 9, shade) + svg_shapes.ellipse(0, -72, 23, 5, "#6b3518")
    grooves = svg_shapes.line("M-62 4Q0 24 62 4M-64 24Q0 46 64 24M-46 -24Q0 -8 46 -24", shade, 4, opacity=0.8)
    band = svg_shapes.line("M-56 -8Q0 10 56 -8", c.light, 8)
    hand = svg_shapes.line("M128 -4C108 -16 92 -8 72 2", SKIN, 22) + svg_shapes.line(
        "M-128 4C-110 -8 -92 0 -74 10", SKIN, 22
    )
    tools = svg_shapes.line(f"M96 88L{chance.randint(108, 118)} 34", c.second, 7) + svg_shapes.line(
        "M-100 90L-120 40", c.main, 7
    )
    return wheel + vase + mouth + grooves + band + hand + tools


def trampoline(chance: Random, c: Palette) -> str:
    legs = svg_shapes.line("M-104 56V92M104 56V92M-50 70V100M50 70V100", c.dark, 9)
    mat = svg_shapes.ellipse(0, 56, 124, 26, c.main) + svg_shapes.ellipse(0, 54, 100, 18, c.dark)
    up = chance.randint(0, 14)
    child = (
        svg_shapes.line("M-8 -20L-46 -52M8 -20L46 -52", SKIN, 11)
        + svg_shapes.line("M-6 18L-36 34M6 18L36 32", c.dark, 13)
        + svg_shapes.line("M0 -16V14", c.second, 34)
        + svg_shapes.circle(0, -54, 21, SKIN)
        + svg_shapes.path("M-21 -56a21 21 0 0 1 42 0q-20-8-42 0Z", "#4a2a17")
        + svg_shapes.circle(-7, -52, 2, "#2a1a15")
        + svg_shapes.circle(7, -52, 2, "#2a1a15")
    )
    lines = svg_shapes.line("M-66 18v20M66 18v20M-84 -4v16M84 -4v16", c.light, 6, opacity=0.8)
    return legs + mat + lines + svg_shapes.group(child, y=-14 - up)


def books(chance: Random, c: Palette) -> str:
    colours = [c.main, c.second, c.near]
    chance.shuffle(colours)
    pile = "".join(
        svg_shapes.rect(x, y, 190, 28, colour, r=6) + svg_shapes.rect(x + 14, y + 6, 170, 16, c.light, r=3)
        for x, y, colour in ((-100, 64, colours[0]), (-88, 36, colours[1]))
    )
    left = svg_shapes.path("M0 26C-30 4 -80 2 -112 14V-66C-80 -80 -30 -78 0 -56Z", c.light)
    right = svg_shapes.path("M0 26C30 4 80 2 112 14V-66C80 -80 30 -78 0 -56Z", "#fffdf5")
    cover = svg_shapes.path("M-120 24V-58H120V24C80 12 30 16 0 36C-30 16 -80 12 -120 24Z", colours[2])
    words = svg_shapes.line("M-94 -48q36-8 72 8M-94 -28q36-8 72 8M-94 -8q36-8 72 8", "#c9b9a0", 4)
    sun = svg_shapes.circle(44, -34, 15, "#f6b23c") + svg_shapes.path(
        "M18 4q22-30 42-6q14-20 34 0v4q-40-8-76 8Z", "#6fb15f"
    )
    star = svg_shapes.circle(chance.randint(-20, 20), -100, 7, c.second) + svg_shapes.circle(
        60, -96, 5, c.light
    )
    return pile + cover + left + right + words + sun + star


def dice(chance: Random, c: Palette) -> str:
    board = svg_shapes.path("M-130 70L-70 18H90L130 70Z", c.near) + "".join(
        svg_shapes.path(f"M{x} 56l10-16h26l-4 16Z", colour)
        for x, colour in ((-92, c.light), (-52, c.second), (36, c.light), (76, c.second))
    )
    parts = []
    for x, y, turn, colour in ((-42, -20, -14, c.light), (46, -44, chance.randint(8, 24), c.main)):
        dots = c.dark if colour == c.light else c.light
        pips = "".join(
            svg_shapes.circle(a, b, 7, dots) for a, b in ((-18, -18), (18, -18), (0, 0), (-18, 18), (18, 18))
        )
        parts.append(
            svg_shapes.group(svg_shapes.rect(-36, -36, 72, 72, colour, r=15), pips, x=x, y=y, turn=turn)
        )
    pawn = "".join(
        svg_shapes.circle(x, 30, 13, colour) + svg_shapes.path(f"M{x - 20} 84q2-40 20-46q18 6 20 46Z", colour)
        for x, colour in ((-104, c.second), (100, c.main))
    )
    return board + "".join(parts) + pawn


def keyhole(chance: Random, c: Palette) -> str:
    door = svg_shapes.rect(-66, -104, 132, 196, "#7a4a28", r=10) + svg_shapes.rect(
        -50, -88, 100, 76, "#8f5a33", r=6
    )
    panel = svg_shapes.rect(-50, 2, 100, 76, "#8f5a33", r=6)
    plate = svg_shapes.rect(-22, -34, 44, 70, c.second, r=12)
    hole = svg_shapes.circle(0, -8, 11, c.dark) + svg_shapes.path("M-6 -4H6L10 22H-10Z", c.dark)
    light = svg_shapes.path("M66 92L130 92L66 60Z", c.light, opacity=0.5)
    key = (
        svg_shapes.circle(0, 0, 21, c.main)
        + svg_shapes.circle(0, 0, 10, c.light)
        + svg_shapes.rect(18, -6, 66, 12, c.main)
        + svg_shapes.rect(58, 2, 10, 18, c.main)
        + svg_shapes.rect(74, 2, 10, 14, c.main)
    )
    return (
        light
        + door
        + panel
        + plate
        + hole
        + svg_shapes.group(key, x=54, y=50, turn=chance.choice((-24, -34, 24)))
    )


def hot_spring(chance: Random, c: Palette) -> str:
    steam = "".join(svg_shapes.steam(x, -6 - lift, "#ffffff") for x, lift in ((-60, 0), (0, 12), (60, 0)))
    rocks = "".join(
        svg_shapes.ellipse(x, y, chance.randint(30, 40), 22, colour)
        for x, y, colour in (
            (-112, 40, "#7d8a8f"),
            (-64, 16, "#98a3a6"),
            (0, 8, "#7d8a8f"),
            (64, 16, "#98a3a6"),
            (112, 40, "#7d8a8f"),
        )
    )
    water = svg_shapes.ellipse(0, 54, 124, 36, WATER) + svg_shapes.ellipse(
        0, 50, 100, 24, WATER_LIGHT, opacity=0.6
    )
    ripples = svg_shapes.line("M-70 56q14-8 28 0t28 0M20 68q14-8 28 0t28 0", "#ffffff", 4, opacity=0.8)
    head = (
        svg_shapes.circle(34, 30, 20, SKIN)
        + svg_shapes.rect(14, 2, 40, 14, "#ffffff", r=5)
        + svg_shapes.path("M6 62C10 40 58 40 62 62Z", SKIN)
    )
    leaf = svg_shapes.group(svg_shapes.path("M0 0C10-18 30-20 40-14C32 4 14 8 0 0Z", "#c8452d"), x=-60, y=72)
    return steam + rocks + water + head + ripples + leaf
