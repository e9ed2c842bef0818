"""Motifs of food and drink: each function returns SVG elements, about 220 by 180, around (0, 0)."""

from random import Random

from apps.shops.covers import svg_shapes
from apps.shops.covers.palette import Palette


def bowl(chance: Random, c: Palette) -> str:
    toppings = [
        svg_shapes.circle(
            chance.randint(-52, 46),
            chance.randint(-7, 4),
            chance.randint(7, 12),
            chance.choice((c.second, c.near, "#4f9a4d")),
        )
        for _ in range(chance.randint(4, 6))
    ]
    egg = svg_shapes.ellipse(26, -3, 20, 10, "#fffdf5") + svg_shapes.ellipse(27, -3, 9, 5, "#f6a623")
    noodles = svg_shapes.line("M-70 2c16-14 30 8 46-4s30 10 44-2 30 6 46-2", "#ffe7ae", 5)
    sticks = svg_shapes.line("M40 -12L118 -92M54 -8L132 -82", c.dark, 6)
    band = svg_shapes.line("M-82 30Q0 52 82 30", c.light, 5, opacity=0.8)
    return (
        "".join(svg_shapes.steam(x, -26, c.light) for x in (-40, 0))
        + svg_shapes.path("M-96 0H96C94 52 54 88 0 88S-94 52-96 0Z", c.main)
        + svg_shapes.rect(-34, 82, 68, 14, c.dark, r=5)
        + svg_shapes.ellipse(0, 0, 96, 20, c.light) + svg_shapes.ellipse(0, 1, 84, 15, c.second)
        + noodles + "".join(toppings) + egg + sticks + band
    )  # fmt: skip


def steamer(chance: Random, c: Palette) -> str:
    parts = [svg_shapes.steam(x, -50, c.light) for x in (-44, 2, 46)]
    for level in range(chance.choice((2, 3)), 0, -1):
        y = 84 - level * 38
        parts.append(
            svg_shapes.rect(-92, y, 184, 36, "#d9a866", r=8) + svg_shapes.rect(-92, y + 12, 184, 7, "#a8743c")
        )
    parts.reverse()
    top = 84 - 38 * (len(parts) - 3)
    parts.append(
        svg_shapes.ellipse(0, top, 92, 20, "#e9c48a") + svg_shapes.ellipse(0, top, 80, 15, "#b98a4e")
    )
    for x, y in ((-44, -6), (0, -12), (44, -6)):
        bun = f"M{x - 27} {top + y + 12}c-2-34 56-34 54 0-8 12-46 12-54 0Z"
        pleats = f"M{x} {top + y - 12}v12M{x - 9} {top + y - 9}l3 10M{x + 9} {top + y - 9}l-3 10"
        parts.append(svg_shapes.path(bun, c.light) + svg_shapes.line(pleats, "#dccab0", 3))
    return svg_shapes.ellipse(0, 90, 120, 14, c.dark, opacity=0.25) + "".join(parts)


def teapot(chance: Random, c: Palette) -> str:
    cups = "".join(
        svg_shapes.path(f"M{x - 24} 52h48c0 22-10 34-24 34s-24-12-24-34Z", c.light)
        + svg_shapes.ellipse(x, 52, 24, 6, c.second)
        for x in (-104, 112)[: chance.choice((1, 2, 2))]
    )
    leaf = svg_shapes.path("M-20 18c10-30 40-30 48-20-4 22-26 34-48 20Z", c.light, opacity=0.85)
    return (
        svg_shapes.steam(96, -34, c.light) + svg_shapes.line("M-44 -34a52 52 0 0 1 88 0", c.dark, 9)
        + svg_shapes.path("M58 18C90 14 82-22 102-34l12 8C104-8 108 46 62 50Z", c.near)
        + svg_shapes.ellipse(0, 24, 76, 58, c.main) + svg_shapes.ellipse(0, -26, 40, 12, c.near)
        + svg_shapes.circle(0, -42, 9, c.dark) + leaf + svg_shapes.rect(-40, 74, 80, 12, c.dark, r=6) + cups
    )  # fmt: skip


def bottles(chance: Random, c: Palette) -> str:
    colours = [c.main, c.near, c.second, c.dark]
    chance.shuffle(colours)
    parts = [svg_shapes.ellipse(0, 92, 130, 12, c.dark, opacity=0.25)]
    for place, x in enumerate((-96, -44)):
        tall = chance.randint(-64, -40)
        body = f"M{x - 20} 90V{tall + 50}q0-16 12-24V{tall - 24}h16V{tall + 26}q12 8 12 24V90Z"
        label = svg_shapes.rect(x - 20, tall + 66, 40, 34, c.light, r=3) + svg_shapes.circle(
            x, tall + 83, 9, colours[place - 1]
        )
        parts.append(
            svg_shapes.path(body, colours[place])
            + label
            + svg_shapes.rect(x - 9, tall - 34, 18, 14, c.dark, r=3)
        )
    glass = svg_shapes.path("M12 -40H108L66 22V78H88v10H32V78H54V22Z", c.light, opacity=0.92)
    drink = svg_shapes.path("M26 -22H94L60 26Z", c.second)
    garnish = (
        svg_shapes.circle(96, -44, 17, "#f7d154")
        + svg_shapes.circle(96, -44, 11, "#fdf0b4")
        + svg_shapes.line("M58 -2L88 -62", c.dark, 4)
    )
    return "".join(parts) + glass + drink + garnish


def beer(chance: Random, c: Palette) -> str:
    parts = [svg_shapes.ellipse(0, 92, 130, 12, c.dark, opacity=0.25)]
    for x, size in ((-52, 1.0), (56, chance.choice((0.84, 0.92)))):
        foam = "".join(svg_shapes.circle(dx, -52 - abs(dx) % 7, 17, c.light) for dx in (-28, -10, 10, 28))
        mug = svg_shapes.line("M40 -20h16q18 0 18 22v26q0 20-18 20H40", c.light, 11) + svg_shapes.rect(
            -44, -46, 88, 136, "#f2a82e", r=12
        )
        shine = svg_shapes.line("M-24 -24V64M0 -24V64M24 -24V64", "#ffd27a", 8, opacity=0.8)
        parts.append(svg_shapes.group(mug, shine, foam, x=x, y=90 - 90 * size, size=size))
    return "".join(parts)
