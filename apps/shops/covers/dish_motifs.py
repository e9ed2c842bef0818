"""Motifs of dishes that a shop is named after: each function returns SVG elements around (0, 0)."""

from random import Random

from apps.shops.covers import svg_shapes
from apps.shops.covers.palette import Palette

CRUST, CRUST_DARK, GREEN, RICE = "#d9974a", "#a8642a", "#4f9a4d", "#fffdf5"


def roast_duck(chance: Random, c: Palette) -> str:
    plate = svg_shapes.ellipse(0, 70, 138, 26, c.light) + svg_shapes.ellipse(0, 66, 116, 18, c.glow)
    body = svg_shapes.path(
        "M-104 26C-104 -34 -40 -64 22 -52C84 -40 104 0 96 36C88 66 40 74 -12 70S-104 62-104 26Z", "#b4561f"
    )
    shine = svg_shapes.path("M-74 4C-60 -30 -16 -44 26 -36C2 -34 -44 -16 -58 12Z", "#e59a4b", opacity=0.85)
    leg = svg_shapes.path("M38 8C74 -6 104 14 96 40C88 60 52 58 40 40Z", "#8f3f14") + svg_shapes.line(
        "M94 32L126 8", RICE, 10
    )
    end = svg_shapes.circle(128, 2, 8, RICE) + svg_shapes.circle(132, 12, 7, RICE)
    wing = svg_shapes.path("M-52 20C-30 -2 6 2 20 22C2 44 -36 48 -52 20Z", "#8f3f14")
    slices = "".join(
        svg_shapes.ellipse(x, 82, 16, 7, colour)
        for x, colour in ((-96, GREEN), (-66, "#f7f2d8"), (-36, GREEN), (60, GREEN))
    )
    steam = "".join(svg_shapes.steam(x, -62, c.light) for x in (-40, chance.randint(0, 12), 48))
    return steam + plate + end + body + shine + leg + wing + slices


def bread(chance: Random, c: Palette) -> str:
    board = svg_shapes.rect(-132, 62, 264, 26, "#a8743c", r=12) + svg_shapes.rect(
        -132, 62, 264, 9, "#c9955a", r=5
    )
    loaf = svg_shapes.path("M-112 64V6C-124 -44 -84 -58 -40 -50C4 -62 50 -44 40 6V64Z", CRUST)
    crumb = svg_shapes.path("M-98 64V8C-106 -30 -76 -42 -38 -36C2 -44 32 -30 26 8V64Z", "#f6dfb0")
    holes = "".join(
        svg_shapes.ellipse(
            chance.randint(-82, 10), chance.randint(-14, 46), chance.randint(3, 7), 4, "#e3c184"
        )
        for _ in range(9)
    )
    rolled = svg_shapes.path("M24 62C22 26 56 4 88 12C122 20 138 44 130 62Z", CRUST)
    folds = svg_shapes.line(
        "M48 58C48 38 58 24 72 16M74 60C74 40 84 26 98 20M100 60C102 48 110 38 120 34", CRUST_DARK, 6
    )
    steam = svg_shapes.steam(-62, -60, c.light) + svg_shapes.steam(-14, -60, c.light)
    wheat = svg_shapes.line("M112 -6L96 -92", c.second, 5) + "".join(
        svg_shapes.group(svg_shapes.ellipse(side * 9, 0, 6, 12, c.second), x=x, y=y, turn=-10 + side * 28)
        for x, y in ((98, -82), (102, -60), (107, -38))
        for side in (-1, 1)
    )
    return steam + wheat + board + loaf + crumb + holes + rolled + folds


def rice_bowl(chance: Random, c: Palette) -> str:
    steam = "".join(svg_shapes.steam(x, -44, c.light) for x in (-36, 4, 44))
    bowl = svg_shapes.path("M-98 -6H98C96 50 56 86 0 86S-96 50-98 -6Z", c.main) + svg_shapes.rect(
        -36, 80, 72, 14, c.dark, r=5
    )
    filled = svg_shapes.ellipse(0, -6, 98, 25, c.light) + svg_shapes.ellipse(0, -5, 85, 19, RICE)
    grains = "".join(
        svg_shapes.ellipse(chance.randint(-64, 64), chance.randint(-14, 4), 6, 3, "#e9e2cc")
        for _ in range(14)
    )
    greens = "".join(
        svg_shapes.circle(chance.randint(-44, 44), chance.randint(-12, 2), 5, colour)
        for colour in (GREEN, GREEN, c.second, GREEN, c.near)
    )
    spoon = svg_shapes.line("M52 -14L112 -82", c.light, 11) + svg_shapes.ellipse(44, -8, 17, 8, c.light)
    band = svg_shapes.line("M-86 26Q0 54 86 26", c.second, 6)
    return steam + bowl + filled + grains + greens + spoon + band


def cloche(chance: Random, c: Palette) -> str:
    plate = svg_shapes.ellipse(0, 70, 140, 18, c.light) + svg_shapes.ellipse(0, 66, 112, 10, c.glow)
    dome = svg_shapes.path("M-104 62C-104 -8 -58 -56 0 -56S104 -8 104 62Z", c.main)
    shine = svg_shapes.line("M-72 34C-68 0 -46 -22 -22 -30", c.light, 10, opacity=0.7)
    knob = svg_shapes.circle(0, -66, 13, c.second) + svg_shapes.rect(-6, -58, 12, 10, c.dark)
    rim = svg_shapes.rect(-114, 56, 228, 14, c.dark, r=7)
    leaves = "".join(
        svg_shapes.group(
            svg_shapes.path("M0 0C14-26 40-30 58-20C46 0 22 10 0 0Z", GREEN), x=x, y=90, turn=turn
        )
        for x, turn in ((-118, -6), (64, chance.randint(-14, 4)))
    )
    return plate + dome + shine + knob + rim + leaves


def place_setting(chance: Random, c: Palette) -> str:
    plate = svg_shapes.circle(0, 0, 84, c.light) + svg_shapes.circle(0, 0, 62, c.glow)
    food = "".join(
        svg_shapes.group(
            svg_shapes.path("M0 0C16-30 50-32 66-20C52 6 22 12 0 0Z", GREEN), x=-26, y=18, turn=turn
        )
        for turn in (-50, -14, 22)
    ) + "".join(
        svg_shapes.circle(chance.randint(-34, 34), chance.randint(-26, 34), radius, colour)
        for radius, colour in ((17, c.main), (13, c.second), (15, c.near), (10, c.main))
    )
    sticks = svg_shapes.line("M104 -84L112 88M120 -82L128 86", c.dark, 7) + svg_shapes.rect(
        94, 44, 44, 12, c.second, r=6
    )
    spoon = svg_shapes.line("M-118 -10V86", c.near, 9) + svg_shapes.ellipse(-118, -44, 19, 30, c.near)
    return plate + food + sticks + spoon


def wok(chance: Random, c: Palette) -> str:
    flames = "".join(
        svg_shapes.path(f"M{x} 96c-18-14-9-26 0-40 9 14 18 26 0 40Z", colour)
        for x, colour in ((-48, c.second), (-16, c.near), (16, c.second), (48, c.near))
    )
    pan = svg_shapes.path("M-108 -2H108C100 46 58 66 0 66S-100 46-108 -2Z", c.dark)
    rim = svg_shapes.ellipse(0, -2, 108, 22, c.near) + svg_shapes.ellipse(0, -2, 94, 16, c.dark)
    handle = svg_shapes.line("M104 -4L150 -32", "#a8743c", 14)
    food = "".join(
        svg_shapes.circle(chance.randint(-66, 66), chance.randint(-14, 4), chance.randint(7, 12), colour)
        for colour in (GREEN, c.second, c.main, GREEN, RICE, c.second, c.main)
    )
    tossed = "".join(
        svg_shapes.circle(x, -44 - chance.randint(0, 34), chance.randint(6, 10), colour)
        for x, colour in ((-52, GREEN), (-20, c.second), (14, c.main), (44, GREEN))
    )
    return tossed + flames + handle + pan + rim + food


def sushi(chance: Random, c: Palette) -> str:
    board = svg_shapes.rect(-130, 56, 260, 20, "#c9955a", r=8) + "".join(
        svg_shapes.rect(x, 72, 26, 20, "#a8743c", r=4) for x in (-100, 74)
    )
    parts = []
    for x, colour in ((-78, "#f4845f"), (2, "#fbf1dd"), (chance.randint(80, 84), "#e2574c")):
        rice = svg_shapes.rect(x - 34, 18, 68, 40, RICE, r=18)
        top = svg_shapes.path(
            f"M{x - 40} 30C{x - 38} -8 {x + 34} -12 {x + 42} 24C{x + 22} 12 {x - 20} 14 {x - 40} 30Z", colour
        )
        stripes = svg_shapes.line(f"M{x - 14} 4l8 12M{x + 6} 0l8 12", "#ffffff", 4, opacity=0.7)
        parts.append(rice + top + stripes)
    roll = (
        svg_shapes.circle(-46, -46, 30, "#24423a")
        + svg_shapes.circle(-46, -46, 23, RICE)
        + svg_shapes.circle(-46, -46, 9, c.second)
    )
    other = (
        svg_shapes.circle(28, -50, 30, "#24423a")
        + svg_shapes.circle(28, -50, 23, RICE)
        + svg_shapes.circle(28, -50, 9, GREEN)
    )
    sticks = svg_shapes.line("M70 -96L132 16M86 -98L140 0", c.dark, 6)
    return board + roll + other + "".join(parts) + sticks


def pizza(chance: Random, c: Palette) -> str:
    crust = svg_shapes.circle(0, 0, 96, CRUST) + svg_shapes.circle(0, 0, 82, "#f6cf65")
    tops = "".join(
        svg_shapes.circle(x + chance.randint(-6, 6), y + chance.randint(-6, 6), 15, "#c8452d")
        for x, y in ((-44, -34), (34, -44), (-30, 38), (46, 28), (4, 0))
    )
    leaves = "".join(
        svg_shapes.group(svg_shapes.ellipse(0, 0, 13, 7, GREEN), x=x, y=y, turn=turn)
        for x, y, turn in ((-2, -58, 20), (-62, 4, 70), (20, 58, -20), (62, -10, 40))
    )
    cuts = svg_shapes.line("M-92 -20L92 20M-20 92L20 -92M-64 -66L64 66", CRUST_DARK, 3, opacity=0.7)
    return crust + tops + leaves + cuts


def ice_cream(chance: Random, c: Palette) -> str:
    balls = [c.main, "#fbf1dd", c.second]
    chance.shuffle(balls)
    cone = svg_shapes.path("M-52 6H52L0 100Z", CRUST) + svg_shapes.line(
        "M-36 22L20 64M-14 8L34 44M36 22L-20 64M14 8L-34 44", CRUST_DARK, 4
    )
    scoops = (
        svg_shapes.circle(0, -66, 38, balls[0])
        + svg_shapes.circle(-32, -18, 38, balls[1])
        + svg_shapes.circle(32, -18, 38, balls[2])
    )
    drips = "".join(
        svg_shapes.rect(x, -2, 16, chance.randint(18, 32), colour, r=8)
        for x, colour in ((-50, balls[1]), (16, balls[2]))
    )
    cherry = svg_shapes.circle(4, -106, 13, "#c8263d") + svg_shapes.line("M6 -116q6-12 20-14", c.dark, 4)
    wafer = svg_shapes.group(svg_shapes.rect(-9, -66, 18, 74, CRUST, r=4), x=52, y=-40, turn=24)
    return wafer + cone + scoops + drips + cherry
