"""The map of memory: rectangles whose areas are the bytes of each key pattern, grouped by app.

Laid out as squarified treemaps (Bruls, Huizing and van Wijk, 2000): rows are filled along the shorter side as
long as that makes their rectangles squarer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from apps.monitoring import pattern_pages
from apps.monitoring.memory import Report, Usage

#: Patterns on the map: the largest. What is left would be too small to be seen.
MAX_AREAS = 60
#: Classes of static/css/admin.css, one an app, round and round.
HUE_COUNT = 8
#: A character's width and a line's height in the map's units, which are CSS pixels at its full size.
CHARACTER_WIDTH, LINE_HEIGHT, PADDING = 6.6, 16, 5


class Rectangle(NamedTuple):
    """A place on the map."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Area:
    """One pattern on the map; `label` is what fits of its name, `url` its page, "" for an undeclared one."""

    usage: Usage
    place: Rectangle
    hue: int
    label: str
    url: str


@dataclass(frozen=True)
class MemoryMap:
    """A map of a form: "wide" for desks, "narrow" for phones; sizes in its own units."""

    form: str
    width: int
    height: int
    areas: list[Area]


def build_maps(report: Report) -> list[MemoryMap]:
    """The map in both forms; [] while Redis holds nothing that was weighed."""
    rows = [row for row in report.rows if row.bytes][:MAX_AREAS]
    if not rows:
        return []
    return [_build("wide", 1_000, 440, rows), _build("narrow", 320, 480, rows)]


def _build(form: str, width: int, height: int, rows: Sequence[Usage]) -> MemoryMap:
    by_app: dict[str, list[Usage]] = {}
    for row in rows:
        by_app.setdefault(row.key.app if row.key else "", []).append(row)
    apps = sorted(by_app.items(), key=lambda item: -sum(row.bytes for row in item[1]))
    places = squarify([sum(row.bytes for row in found) for _, found in apps], Rectangle(0, 0, width, height))
    areas = [
        _area(row, place, hue % HUE_COUNT)
        for hue, ((_, found), whole) in enumerate(zip(apps, places, strict=True))
        for row, place in zip(found, squarify([row.bytes for row in found], whole), strict=True)
    ]
    return MemoryMap(form, width, height, areas)


def squarify(weights: Sequence[float], whole: Rectangle) -> list[Rectangle]:
    """Rectangles that fill `whole`, their areas in proportion to the weights, which fall and are above 0."""
    scale = whole.width * whole.height / (sum(weights) or 1)
    sizes, places, rest = [weight * scale for weight in weights], list[Rectangle](), whole
    while sizes:
        count = _choose_row_length(sizes, min(rest.width, rest.height))
        row, sizes = sizes[:count], sizes[count:]
        laid, rest = _lay_row(row, rest)
        places += laid
    return places


def _choose_row_length(sizes: Sequence[float], side: float) -> int:
    """How many of the next sizes stand in one row along `side`: while the worst of them gets squarer."""
    count = 1
    while count < len(sizes) and _worst(sizes[: count + 1], side) <= _worst(sizes[:count], side):
        count += 1
    return count


def _worst(row: Sequence[float], side: float) -> float:
    """The longest of the row's rectangles: long side by short side."""
    depth = sum(row) / side
    return max(max(depth / (size / depth), (size / depth) / depth) for size in row)


def _lay_row(row: Sequence[float], rest: Rectangle) -> tuple[list[Rectangle], Rectangle]:
    """The row's rectangles along the shorter side of `rest`, and what remains of it."""
    x, y, width, height = rest
    if width >= height:
        depth, laid = sum(row) / height, list[Rectangle]()
        for size in row:
            laid.append(Rectangle(x, y, depth, size / depth))
            y += size / depth
        return laid, Rectangle(x + depth, rest.y, max(width - depth, 1e-9), height)
    depth, laid = sum(row) / width, []
    for size in row:
        laid.append(Rectangle(x, y, size / depth, depth))
        x += size / depth
    return laid, Rectangle(rest.x, y + depth, width, max(height - depth, 1e-9))


def _shorten(pattern: str) -> str:
    """The words of a pattern without its fields and slot tags: "search:term"."""
    words = [word for word in pattern.split(":") if word and "<" not in word and "{" not in word]
    return ":".join(words)


def _area(row: Usage, place: Rectangle, hue: int) -> Area:
    rounded = Rectangle(*(round(number, 1) for number in place))
    fits = int((place.width - 2 * PADDING) / CHARACTER_WIDTH)
    name = _shorten(row.pattern) or "?"
    is_legible = place.height >= LINE_HEIGHT + PADDING and fits >= 4
    label = (name if len(name) <= fits else f"{name[: fits - 1]}…") if is_legible else ""
    url = pattern_pages.declaration_url(row.key) if row.key else ""
    return Area(row, rounded, hue, label, url)
