"""A canvas of 400 by 300 units (or 300 by 400), drawn larger than the output so that edges are smooth."""

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from math import cos, pi, sin

import resvg_py
from PIL import Image, ImageColor, ImageDraw, ImageFilter

Point = tuple[float, float]
#: Pixels per unit of the drawing and of the output.
DRAWING_SCALE, OUTPUT_SCALE = 4, 3
#: Glows are blurred on an image that is this many times coarser than the drawing.
BLUR_SCALE = 8


class Canvas:
    """Draws shapes in units from the top left; `cx`, `cy` are the middle, colours are CSS colours."""

    def __init__(self, *, wide: bool) -> None:
        self.w, self.h = (400, 300) if wide else (300, 400)
        self.cx, self.cy = self.w / 2, self.h / 2
        self._image = Image.new("RGB", (self.w * DRAWING_SCALE, self.h * DRAWING_SCALE))
        self._draw = ImageDraw.Draw(self._image)
        self._drawings: list[tuple[str, int, int, int]] = []

    def picture(self) -> Image.Image:
        """The finished image: 1200 by 900 pixels, or 900 by 1200."""
        finished = self._image.resize((self.w * OUTPUT_SCALE, self.h * OUTPUT_SCALE))
        for svg, x, y, side in self._drawings:
            drawing = _rasterize(svg, side)
            finished.paste(drawing, (x, y), drawing)
        return finished

    def ground(self, top: str, bottom: str) -> None:
        """Fill the canvas with a vertical gradient of two colours."""
        # The gradient is computed for one column and stretched to the canvas's width.
        mask = Image.linear_gradient("L").resize((1, 256))
        column = Image.composite(Image.new("RGB", mask.size, bottom), Image.new("RGB", mask.size, top), mask)
        self._image.paste(column.resize(self._image.size, Image.Resampling.BILINEAR))

    def disc(self, x: float, y: float, r: float, colour: str) -> None:
        self.oval(x, y, r, r, colour)

    def oval(self, x: float, y: float, rx: float, ry: float, colour: str) -> None:
        self._draw.ellipse(_scaled(x - rx, y - ry, x + rx, y + ry), fill=colour)

    def ring(self, x: float, y: float, r: float, colour: str, width: float) -> None:
        edge = _scaled(x - r, y - r, x + r, y + r)
        self._draw.ellipse(edge, outline=colour, width=round(width * DRAWING_SCALE))

    def box(self, x: float, y: float, w: float, h: float, colour: str, *, r: float = 0) -> None:
        self._draw.rounded_rectangle(_scaled(x, y, x + w, y + h), r * DRAWING_SCALE, fill=colour)

    def shape(self, points: Sequence[Point], colour: str) -> None:
        """Draw a filled polygon."""
        self._draw.polygon([(x * DRAWING_SCALE, y * DRAWING_SCALE) for x, y in points], fill=colour)

    def blob(self, points: Sequence[Point], colour: str) -> None:
        """Draw a filled shape whose smooth outline passes through the points."""
        self.shape(_smooth([points[-1], *points, *points[:2]]), colour)

    def line(self, points: Sequence[Point], colour: str, width: float) -> None:
        """Draw a smooth line through the points, with round ends."""
        path = _smooth([points[0], *points, points[-1]]) if len(points) > 2 else list(points)
        pixels = [(x * DRAWING_SCALE, y * DRAWING_SCALE) for x, y in path]
        self._draw.line(pixels, fill=colour, width=max(1, round(width * DRAWING_SCALE)), joint="curve")
        for x, y in (path[0], path[-1]):
            self.disc(x, y, width / 2, colour)

    def glow(self, x: float, y: float, rx: float, ry: float, colour: str, strength: float = 0.5) -> None:
        """Draw a blurred oval of light; with a dark colour, a shadow. `strength` is 0 to 1."""
        left, top = x - 1.6 * rx, y - 1.6 * ry
        size = (max(2, int(3.2 * rx * DRAWING_SCALE)), max(2, int(3.2 * ry * DRAWING_SCALE)))
        small = (max(2, size[0] // BLUR_SCALE), max(2, size[1] // BLUR_SCALE))
        mask = Image.new("L", small)
        inner = (small[0] * 0.19, small[1] * 0.19, small[0] * 0.81, small[1] * 0.81)
        ImageDraw.Draw(mask).ellipse(inner, fill=round(255 * strength))
        soft = mask.filter(ImageFilter.GaussianBlur(min(small) * 0.09)).resize(
            size, Image.Resampling.BILINEAR
        )
        self._image.paste(
            ImageColor.getrgb(colour), (round(left * DRAWING_SCALE), round(top * DRAWING_SCALE)), soft
        )

    def drawing(self, svg: str, x: float, y: float, side: float) -> None:
        """Paint a square SVG document, which may be transparent, over everything else."""
        self._drawings.append(
            (svg, round(x * OUTPUT_SCALE), round(y * OUTPUT_SCALE), round(side * OUTPUT_SCALE))
        )

    def steam(self, x: float, y: float, height: float) -> None:
        """Draw three blurred wisps of steam that rise from (x, y)."""
        for step in range(3):
            shift = (step - 1) * height * 0.24
            for part in range(7):
                sway = height * 0.06 * sin(part * 1.1 + step)
                at = y - height * (0.15 + 0.12 * part)
                self.glow(x + shift + sway, at, height * 0.07, height * 0.14, "#ffffff", 0.17 - 0.018 * part)


# Pictures of several moods have the same drawing.
@cache
def _rasterize(svg: str, side: int) -> Image.Image:
    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=side, skip_system_fonts=True))
    with Image.open(BytesIO(png)) as drawing:
        return drawing.convert("RGBA")


def points_on_circle(
    x: float, y: float, r: float, count: int, *, turn: float = 0, flat: float = 1
) -> list[Point]:
    """`count` even points on a circle, clockwise from the top; `turn` in full turns, `flat` squeezes it."""
    angles = [2 * pi * (step / count + turn) - pi / 2 for step in range(count)]
    return [(x + r * cos(angle), y + r * flat * sin(angle)) for angle in angles]


def rotate(points: Sequence[Point], x: float, y: float, turn: float) -> list[Point]:
    """The points around (0, 0), rotated by `turn` full turns and moved to (x, y)."""
    c, s = cos(2 * pi * turn), sin(2 * pi * turn)
    return [(x + px * c - py * s, y + px * s + py * c) for px, py in points]


def _scaled(*units: float) -> list[float]:
    return [unit * DRAWING_SCALE for unit in units]


def _smooth(points: Sequence[Point], steps: int = 9) -> list[Point]:
    """A Catmull-Rom spline through all but the first and the last point."""
    path = []
    for a, b, c, d in zip(points, points[1:], points[2:], points[3:], strict=False):
        path += [_spline_point(a, b, c, d, step / steps) for step in range(steps)]
    return [*path, points[-2]]


def _spline_point(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    def along(p: float, q: float, r: float, s: float) -> float:
        bend = (2 * p - 5 * q + 4 * r - s) * t**2 + (3 * q - p - 3 * r + s) * t**3
        return 0.5 * (2 * q + (r - p) * t + bend)

    return along(a[0], b[0], c[0], d[0]), along(a[1], b[1], c[1], d[1])
