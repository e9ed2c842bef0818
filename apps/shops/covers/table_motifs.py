"""More motifs of food and drink: each function returns SVG elements, about 220 by 180, around (0, 0)."""

from random import Random

from apps.shops.covers import svg_shapes
from apps.shops.covers.palette import Palette


def hot_pot(chance: Random, c: Palette) -> str:
    flames = "".join(
        svg_shapes.path(f"M{x} 92c-16-14-8-24 0-36 8 12 16 22 0 36Z", c.second) for x in (-34, 0, 34)
    )
    pot = svg_shapes.path("M-108 -14H108C104 34 66 60 0 60S-104 34-108 -14Z", c.dark)
    split = svg_shapes.ellipse(0, -14, 108, 26, c.light) + svg_shapes.ellipse(0, -13, 96, 20, c.main)
    clear = svg_shapes.path("M0 -33C26 -20-26 -8 0 7C56 7 96 0 96 -13S56 -33 0 -33Z", "#f5dfa6")
    bits = "".join(
        svg_shapes.circle(chance.randint(-78, 78), chance.randint(-24, -4), chance.randint(5, 9), colour)
        for colour in (c.second, "#4f9a4d", c.light, "#c8452d", "#4f9a4d")
    )
    ears = svg_shapes.line("M-104 -4h-22M104 -4h22", c.dark, 12)
    steam = "".join(svg_shapes.steam(x, -40, c.light) for x in (-52, 0, 52))
    return steam + flames + ears + pot + split + clear + bits


def skewers(chance: Random, c: Palette) -> str:
    plate = svg_shapes.ellipse(0, 74, 132, 22, c.light) + svg_shapes.ellipse(0, 70, 110, 15, c.glow)
    parts = []
    for place, turn in enumerate((-26, -6, 14)):
        colours = [c.main, "#4f9a4d", c.second, "#8a4a2b"]
        chance.shuffle(colours)
        pieces = "".join(
            svg_shapes.rect(-19, -74 + 34 * step, 38, 28, colour, r=10) for step, colour in enumerate(colours)
        )
        stick = svg_shapes.line("M0 -98V98", "#c99a5b", 6)
        parts.append(svg_shapes.group(stick, pieces, x=-58 + 58 * place, y=-6, turn=turn))
    return plate + "".join(parts)


def fish(chance: Random, c: Palette) -> str:
    plate = svg_shapes.ellipse(0, 26, 140, 62, c.light) + svg_shapes.ellipse(0, 26, 116, 48, c.glow)
    body = svg_shapes.path("M-96 20C-60 -26 30 -30 76 18C30 66-60 64-96 20Z", c.main)
    tail = svg_shapes.path("M66 18L116 -16Q104 18 116 52Z", c.main)
    scales = "".join(
        svg_shapes.line(f"M{x} {-2 + abs(x) // 9}q10 20 0 40", c.near, 4) for x in (-36, -12, 12, 36)
    )
    eye = svg_shapes.circle(-70, 10, 7, c.light) + svg_shapes.circle(-71, 10, 3, c.dark)
    lemons = "".join(
        svg_shapes.circle(x, y, 17, "#f7d154") + svg_shapes.circle(x, y, 11, "#fdf0b4")
        for x, y in ((-24, 74), (chance.randint(8, 22), 78))
    )
    leaf = svg_shapes.path("M52 -34c20-26 46-22 52-14-8 18-30 24-52 14Z", "#4f9a4d")
    return plate + tail + body + scales + eye + lemons + leaf


def cup(chance: Random, c: Palette) -> str:
    saucer = svg_shapes.ellipse(0, 84, 122, 18, c.light) + svg_shapes.ellipse(0, 80, 84, 9, c.glow)
    handle = svg_shapes.line("M66 2q48-8 40 30t-58 30", c.main, 14)
    body = svg_shapes.path("M-76 -26H76C74 44 48 78 0 78S-74 44-76 -26Z", c.main)
    coffee = svg_shapes.ellipse(0, -26, 76, 19, c.light) + svg_shapes.ellipse(0, -25, 65, 14, "#8a5a35")
    heart = svg_shapes.path("M0 -14c-18-10-20-20-10-21 6 0 10 5 10 5s4-5 10-5c10 1 8 11-10 21Z", "#f4e3c8")
    biscuit = svg_shapes.circle(104, 66, 22, "#d9a866") + "".join(
        svg_shapes.circle(104 + chance.randint(-12, 12), 66 + chance.randint(-12, 12), 3, c.dark)
        for _ in range(5)
    )
    steam = svg_shapes.steam(-22, -50, c.light) + svg_shapes.steam(20, -50, c.light)
    return saucer + biscuit + handle + body + coffee + heart + steam


def wine(chance: Random, c: Palette) -> str:
    parts = [svg_shapes.ellipse(0, 92, 130, 12, c.dark, opacity=0.25)]
    for x, colour, turn in ((-46, c.main, -6), (50, c.second, chance.choice((5, 9)))):
        bowl = svg_shapes.path("M-40 -86H40C44 -26 26 0 0 0S-44 -26-40 -86Z", c.light, opacity=0.75)
        drink = svg_shapes.path("M-39 -52H39C36 -18 22 -6 0 -6S-36 -18-39 -52Z", colour)
        stem = svg_shapes.rect(-4, -4, 8, 74, c.light) + svg_shapes.ellipse(0, 72, 32, 8, c.light)
        shine = svg_shapes.line("M-24 -74v26", "#ffffff", 6, opacity=0.7)
        parts.append(svg_shapes.group(bowl, drink, stem, shine, x=x, y=16, turn=turn))
    grapes = "".join(
        svg_shapes.circle(x, y, 11, c.near)
        for x, y in ((-4, 62), (14, 66), (-12, 78), (6, 82), (22, 82), (8, 50))
    )
    return "".join(parts) + grapes


def cake_slice(chance: Random, c: Palette) -> str:
    plate = svg_shapes.ellipse(0, 78, 132, 20, c.light) + svg_shapes.ellipse(0, 74, 108, 13, c.glow)
    side = svg_shapes.path("M-92 -6L78 -34V62L-92 74Z", "#f2d7a4")
    layers = svg_shapes.line("M-90 22L76 -4M-90 48L76 28", c.main, 9)
    top = svg_shapes.path("M-92 -6L-20 -56Q40 -62 78 -34Z", c.light)
    drips = "".join(
        svg_shapes.rect(x, -14 - (x + 92) * 0.16, 17, chance.randint(18, 34), c.light, r=8)
        for x in (-88, -54, -20, 14, 48)
    )
    berry = svg_shapes.circle(-14, -58, 19, c.main) + svg_shapes.path("M-14 -74l9-13 7 14Z", "#4f9a4d")
    fork = svg_shapes.line("M112 84L132 4", c.dark, 6)
    return plate + fork + side + layers + top + drips + berry
