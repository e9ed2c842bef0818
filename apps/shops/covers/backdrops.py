"""Backgrounds of drawn covers: each function returns SVG elements, 400 by 300."""

from collections.abc import Callable
from math import cos, pi, sin
from random import Random

from apps.shops.covers import svg_shapes
from apps.shops.covers.palette import Palette

Backdrop = Callable[[Random, Palette], str]


def hills(chance: Random, c: Palette) -> str:
    sun = svg_shapes.circle(
        chance.randint(70, 330), chance.randint(60, 110), chance.randint(38, 62), c.light, opacity=0.75
    )
    crest, dip = chance.randint(120, 170), chance.randint(180, 210)
    far = svg_shapes.path(
        f"M0 {dip}C70 {crest} 130 {crest} 200 {dip - 10}S330 {crest + 10} 400 {dip - 30}V300H0Z", c.glow
    )
    near = svg_shapes.path(
        f"M0 {dip + 40}C90 {dip} 180 {dip + 60} 260 {dip + 26}S360 {dip + 10} 400 {dip + 30}V300H0Z", c.far
    )
    return sun + far + near


def skyline(chance: Random, c: Palette) -> str:
    parts, x = [svg_shapes.circle(chance.randint(80, 320), 80, 46, c.light, opacity=0.7)], -10
    while x < 400:
        width, height = chance.randint(26, 56), chance.randint(60, 160)
        parts.append(svg_shapes.rect(x, 235 - height, width, height + 70, c.glow, r=3))
        for step in range(1, height // 26):
            parts.append(
                svg_shapes.rect(
                    x + width // 2 - 4, 235 - height + step * 24, 8, 10, c.light, r=2, opacity=0.7
                )
            )
        x += width + chance.randint(0, 8)
    return "".join(parts) + svg_shapes.rect(0, 232, 400, 70, c.far)


def rays(chance: Random, c: Palette) -> str:
    turn, count = chance.random(), chance.choice((10, 12, 14))
    parts = []
    for step in range(count):
        a, b = ((step + turn + share) * 2 * pi / count for share in (0, 0.5))
        ends = (f"{200 + 320 * cos(angle):.0f} {170 + 320 * sin(angle):.0f}" for angle in (a, b))
        corner = "L".join(ends)
        parts.append(svg_shapes.path(f"M200 170L{corner}Z", c.glow, opacity=0.7))
    return "".join(parts) + svg_shapes.circle(200, 168, 112, c.light, opacity=0.55)


def waves(chance: Random, c: Palette) -> str:
    size = chance.choice((40, 50))
    rings = "".join(
        svg_shapes.circle(x, y, size * ring, colour)
        # Rows are drawn from the top: each hides the lower half of the one above.
        for y, starts in ((0, (0, size)), (size / 2, (size / 2,)), (size, (0, size)))
        for x in starts
        for ring, colour in ((0.5, c.glow), (0.36, c.sky), (0.2, c.glow))
    )
    tile = f'<pattern id="w" width="{size}" height="{size}" patternUnits="userSpaceOnUse">{rings}</pattern>'
    return (
        tile
        + svg_shapes.rect(0, 0, 400, 300, "url(#w)")
        + svg_shapes.ellipse(200, 178, 150, 108, c.light, opacity=0.82)
    )


def window(chance: Random, c: Palette) -> str:
    x = chance.choice((60, 100, 140))
    frame = svg_shapes.path(f"M{x} 262V128a100 100 0 0 1 200 0V262Z", c.light, opacity=0.85)
    view = svg_shapes.path(f"M{x + 12} 250V130a88 88 0 0 1 176 0V250Z", c.glow)
    moon = svg_shapes.circle(x + chance.randint(60, 130), 96, 24, c.light, opacity=0.9)
    hill = svg_shapes.path(f"M{x + 12} 250V200c50-46 70-10 100-24s46-34 76-12V250Z", c.far, opacity=0.7)
    bars = svg_shapes.line(f"M{x + 100} 42V250M{x + 12} 140H{x + 188}", c.light, 6)
    return frame + view + moon + hill + bars + svg_shapes.rect(0, 250, 400, 50, c.near, opacity=0.55)


ALL_BACKDROPS: tuple[Backdrop, ...] = (hills, skyline, rays, waves, window)
