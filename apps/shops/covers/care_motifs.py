"""More motifs of hair, nail, massage and spa shops: each function returns SVG elements around (0, 0)."""

from random import Random

from apps.shops.covers import svg_shapes
from apps.shops.covers.palette import Palette


def barber_pole(chance: Random, c: Palette) -> str:
    stripes = "".join(
        svg_shapes.path(f"M-30 {y}L30 {y - 34}V{y - 14}L-30 {y + 20}Z", colour)
        for y, colour in zip(range(-34, 66, 24), (c.main, c.second) * 3, strict=False)
    )
    pole = svg_shapes.rect(-30, -66, 60, 132, c.light) + stripes
    caps = "".join(svg_shapes.rect(-40, y, 80, 20, c.dark, r=8) for y in (-80, 62))
    lamp = svg_shapes.circle(0, -94, 20, c.light) + svg_shapes.rect(-26, 82, 52, 14, c.dark, r=6)
    spray = svg_shapes.rect(78, 6, 42, 86, c.near, r=12) + svg_shapes.path(
        "M84 6h30l-6 -30H76v12h12Z", c.dark
    )
    side = chance.choice((-1, 1))
    return f'<g transform="scale({side} 1)">{pole}{caps}{lamp}{spray}</g>'


def brush_and_mirror(chance: Random, c: Palette) -> str:
    glass = svg_shapes.circle(0, -22, 70, c.main) + svg_shapes.circle(0, -22, 57, c.light)
    shine = svg_shapes.line("M-26 -16l34-34M-14 4l44-44", c.glow, 7)
    grip = svg_shapes.rect(-12, 46, 24, 62, c.main, r=11)
    bristles = "".join(svg_shapes.line(f"M-20 {y}h-22", c.dark, 4) for y in range(-62, 10, 10))
    brush = svg_shapes.rect(-22, -72, 36, 88, c.second, r=16) + svg_shapes.rect(-12, 12, 16, 88, c.dark, r=8)
    return svg_shapes.group(glass, shine, grip, x=-52, turn=-10) + svg_shapes.group(
        bristles, brush, x=88, y=0, turn=chance.choice((8, 16, 24))
    )


def hand(chance: Random, c: Palette) -> str:
    skin = "#f3c9a5"
    fingers = "".join(
        svg_shapes.group(
            svg_shapes.rect(-13, -86 - rise, 26, 110 + rise, skin, r=13),
            svg_shapes.rect(-10, -84 - rise, 20, 30, c.main, r=10),
            x=x,
            y=18,
            turn=turn,
        )
        for x, rise, turn in ((-44, 0, -13), (-14, 18, -4), (16, 12, 5), (44, -10, 14))
    )
    palm = svg_shapes.rect(-58, 8, 118, 90, skin, r=38)
    thumb = svg_shapes.group(
        svg_shapes.rect(-14, -56, 28, 88, skin, r=14), svg_shapes.rect(-11, -54, 22, 28, c.main, r=11),
        x=-78, y=44, turn=-44,
    )  # fmt: skip
    stars = "".join(
        svg_shapes.circle(x + chance.randint(-8, 8), y, 6, c.second)
        for x, y in ((-112, -50), (98, -64), (112, 20))
    )
    return svg_shapes.group(thumb, palm, fingers, turn=chance.choice((-8, 8)), size=0.94) + stars


def nail_file(chance: Random, c: Palette) -> str:
    blossom = "".join(
        svg_shapes.group(svg_shapes.ellipse(0, -26, 15, 26, c.near), x=-74, y=-22, turn=72 * step)
        for step in range(5)
    )
    heart = svg_shapes.circle(-74, -22, 13, c.second)
    file = svg_shapes.rect(-17, -104, 34, 208, c.main, r=17) + svg_shapes.rect(-17, -34, 34, 68, c.light)
    jar = svg_shapes.rect(-48, 22, 96, 62, c.glow, r=16) + svg_shapes.rect(-52, 4, 104, 26, c.dark, r=8)
    return (
        svg_shapes.ellipse(0, 92, 130, 12, c.dark, opacity=0.2)
        + svg_shapes.group(file, x=8, y=-4, turn=chance.choice((24, 32)))
        + svg_shapes.group(jar, x=70, y=8)
        + blossom
        + heart
    )


def bath(chance: Random, c: Palette) -> str:
    foam = "".join(
        svg_shapes.circle(x, -8 - chance.randint(0, 14), chance.randint(18, 26), c.light)
        for x in (-80, -46, -10, 26, 60, 86)
    )
    tub = svg_shapes.path("M-122 -4H122C120 58 92 82 58 82H-58C-92 82-120 58-122 -4Z", c.main)
    rim = svg_shapes.rect(-132, -12, 264, 20, c.near, r=10)
    feet = svg_shapes.circle(-70, 88, 11, c.dark) + svg_shapes.circle(70, 88, 11, c.dark)
    duck = svg_shapes.ellipse(40, -34, 28, 18, "#f7d154") + svg_shapes.circle(58, -56, 15, "#f7d154")
    beak = svg_shapes.path("M70 -58l20 6-18 7Z", "#ef8a2b") + svg_shapes.circle(61, -60, 3, c.dark)
    steam = svg_shapes.steam(-56, -50, c.light) + svg_shapes.steam(-14, -56, c.light)
    return steam + duck + beak + foam + feet + tub + rim


def foot_bowl(chance: Random, c: Palette) -> str:
    bowl = svg_shapes.path("M-116 -2H116C112 60 74 90 0 90S-112 60-116 -2Z", "#a8743c")
    hoops = svg_shapes.line("M-108 30Q0 60 108 30", "#6d4522", 7)
    water = svg_shapes.ellipse(0, -2, 116, 26, "#c9955a") + svg_shapes.ellipse(0, 0, 100, 19, c.glow)
    petals = "".join(
        svg_shapes.ellipse(chance.randint(-76, 76), chance.randint(-8, 8), 13, 7, colour)
        for colour in (c.main, c.near, c.light, c.main, c.second)
    )
    leaf = svg_shapes.path("M0 0C24-38 62-38 82-22C66 10 30 18 0 0Z", "#6fb15f")
    twig = svg_shapes.line("M-4 4L70 -20", "#4e8d4a", 4)
    steam = "".join(svg_shapes.steam(x, -38, c.light) for x in (-50, 2, 48))
    return steam + bowl + hoops + water + petals + svg_shapes.group(leaf, twig, x=56, y=-36)


def bamboo(chance: Random, c: Palette) -> str:
    parts = []
    for x, tall in ((-96, 150), (-64, 190), (78, 176), (108, 132)):
        top = 92 - tall
        stem = svg_shapes.rect(x - 10, top, 20, tall, "#6fb15f", r=6)
        joints = "".join(svg_shapes.rect(x - 12, y, 24, 5, "#3f7d3b", r=2) for y in range(top + 34, 86, 40))
        leaf = svg_shapes.path(f"M{x} {top + 30}c26-26 52-18 60-8-18 18-40 20-60 8Z", "#4e8d4a")
        parts.append(stem + joints + leaf)
    y, pile = 86.0, ""
    for width, colour in ((62, c.dark), (46, c.near), (30, c.main)):
        y -= width * 0.3
        pile += svg_shapes.ellipse(chance.randint(-6, 8), y, width, width * 0.3, colour)
        y -= width * 0.2
    return svg_shapes.ellipse(0, 90, 134, 12, c.dark, opacity=0.22) + "".join(parts) + pile
