"""Motifs of hair, nail, massage and spa shops: each function returns SVG elements around (0, 0)."""

from random import Random

from apps.shops.covers import svg_shapes
from apps.shops.covers.palette import Palette


def scissors(chance: Random, c: Palette) -> str:
    rings = "".join(
        svg_shapes.circle(x, 62, 27, c.main) + svg_shapes.circle(x, 62, 14, c.sky) for x in (-40, 40)
    )
    blades = svg_shapes.path("M-30 44L22 -104q12 6 8 24L-12 52Z", c.dark) + svg_shapes.path(
        "M30 44L-22 -104q-12 6-8 24L12 52Z", "#64707a"
    )
    comb = svg_shapes.rect(0, 0, 30, 150, c.second, r=8) + "".join(
        svg_shapes.rect(26, 12 + 10 * tooth, 30, 5, c.second, r=2) for tooth in range(13)
    )
    side = chance.choice((-1, 1))
    return svg_shapes.group(comb, x=86 * side - 15, y=-78, turn=10 * side) + svg_shapes.group(
        blades, rings, svg_shapes.circle(0, 2, 7, c.second), turn=-16 * side, x=-26 * side
    )


def dryer(chance: Random, c: Palette) -> str:
    wind = "".join(
        svg_shapes.line(f"M-98 {y}q-14 {-8} -28 0t-28 0", c.light, 6, opacity=0.8) for y in (-44, -22, 0)
    )
    body = svg_shapes.path("M-84 -58L-10 -74q78 0 78 52t-78 52L-84 14Z", c.main) + svg_shapes.circle(
        6, -22, 30, c.near
    )
    handle = svg_shapes.path("M-16 26h44l16 66q0 10-12 10H8q-10 0-12-10Z", c.dark)
    mirror = (
        svg_shapes.circle(112, 30, 46, c.second)
        + svg_shapes.circle(112, 30, 36, c.light)
        + svg_shapes.rect(106, 74, 12, 34, c.second, r=5)
    )
    shine = svg_shapes.line("M94 20l16-16M100 40l32-32", c.glow, 5)
    return mirror + shine + wind + handle + body + svg_shapes.circle(6, -22, chance.randint(11, 16), c.light)


def polish(chance: Random, c: Palette) -> str:
    colours = [c.main, c.second, c.near, c.far, "#e2557f"]
    chance.shuffle(colours)
    parts = [svg_shapes.ellipse(0, 88, 130, 12, c.dark, opacity=0.2)]
    for x, colour, size in zip((-84, 0, 84), colours, (0.86, 1.06, 0.86), strict=False):
        cap = svg_shapes.path("M-14 -36L-10 -100q10-8 20 0L14 -36Z", c.dark)
        glass = svg_shapes.rect(-38, -36, 76, 78, colour, r=18) + svg_shapes.rect(
            -26, -24, 12, 48, "#ffffff", r=6, opacity=0.45
        )
        parts.append(svg_shapes.group(cap, glass, x=x, y=86 - 42 * size, size=size))
    drops = "".join(
        svg_shapes.path(f"M{x} {-84 + drop}c-8 12-12 16-12 24a12 12 0 0 0 24 0c0-8-4-12-12-24Z", colour)
        for x, drop, colour in zip((-118, 42, 122), (20, 0, 34), colours[2:], strict=False)
    )
    return "".join(parts) + drops


def stones(chance: Random, c: Palette) -> str:
    rings = "".join(
        svg_shapes.ellipse(0, 84, 140 - 26 * n, 22 - 4 * n, c.light, opacity=0.35) for n in range(3)
    )
    y, parts = 78.0, []
    for width, colour in zip((84, 64, 46, 30), (c.dark, "#5d6a70", c.near, "#8c979b"), strict=True):
        lean, tall = chance.randint(-9, 9), width * 0.3
        y -= tall
        parts.append(
            svg_shapes.ellipse(lean, y, width, tall, colour)
            + svg_shapes.ellipse(lean - width / 4, y - tall / 3, width / 3, tall / 5, c.light, opacity=0.3)
        )
        y -= tall * 0.62
    stem = svg_shapes.line("M112 92C104 20 112 -30 104 -96", "#4e8d4a", 9)
    leaf = svg_shapes.path("M0 0C18-34 50-40 74-26C60 2 28 14 0 0Z", "#6fb15f")
    leaves = "".join(
        f'<g transform="translate(108 {at}) scale({way} 1)">{leaf}</g>'
        for at, way in ((-64, -1), (-30, 1), (6, -1))
    )
    return rings + "".join(parts) + stem + leaves


def lotus(chance: Random, c: Palette) -> str:
    petals = "".join(
        svg_shapes.group(svg_shapes.path("M0 0C-34-30-26-78 0-104 26-78 34-30 0 0Z", colour), turn=turn, y=52)
        for turn, colour in ((-66, c.near), (66, c.near), (-36, c.far), (36, c.far), (0, c.light))
    )
    candles = "".join(
        svg_shapes.rect(x - 15, 92 - tall, 30, tall, c.light, r=4)
        + svg_shapes.path(f"M{x} {62 - tall}c-12 14-9 26 0 26s12-12 0-26Z", c.second)
        for x, tall in ((-116, chance.randint(36, 62)), (116, chance.randint(36, 62)))
    )
    return (
        svg_shapes.ellipse(0, 78, 132, 20, c.main, opacity=0.8)
        + petals
        + svg_shapes.ellipse(0, 60, 40, 9, c.second)
        + candles
    )


def oils(chance: Random, c: Palette) -> str:
    towels = "".join(
        svg_shapes.rect(-124, 92 - 34 * n, 128, 32, colour, r=16)
        + svg_shapes.circle(-108, 108 - 34 * n, 9, c.light, opacity=0.7)
        for n, colour in ((1, c.main), (2, c.light), (3, c.near))[: chance.choice((2, 3))]
    )
    bottle = svg_shapes.rect(36, -24, 62, 116, c.second, r=14) + svg_shapes.rect(52, -56, 30, 34, c.dark, r=5)
    label = svg_shapes.rect(36, 12, 62, 44, c.light) + svg_shapes.path(
        "M67 18c-16 14-12 30 0 32 12-2 16-18 0-32Z", "#6fb15f"
    )
    flower = "".join(
        svg_shapes.group(svg_shapes.ellipse(0, -17, 9, 17, c.light), x=-30, y=-34, turn=72 * n)
        for n in range(5)
    )
    return (
        svg_shapes.ellipse(0, 94, 132, 12, c.dark, opacity=0.25)
        + towels
        + bottle
        + label
        + flower
        + svg_shapes.circle(-30, -34, 8, c.second)
    )
