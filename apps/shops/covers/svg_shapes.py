"""SVG elements of covers, as text; the functions take numbers and colours, never text written by people."""

Number = float | int


def circle(x: Number, y: Number, r: Number, fill: str, *, opacity: Number = 1) -> str:
    return f'<circle cx="{_num(x)}" cy="{_num(y)}" r="{_num(r)}" fill="{fill}"{_opacity(opacity)}/>'


def ellipse(x: Number, y: Number, rx: Number, ry: Number, fill: str, *, opacity: Number = 1) -> str:
    where = f'cx="{_num(x)}" cy="{_num(y)}" rx="{_num(rx)}" ry="{_num(ry)}"'
    return f'<ellipse {where} fill="{fill}"{_opacity(opacity)}/>'


def rect(x: Number, y: Number, w: Number, h: Number, fill: str, *, r: Number = 0, opacity: Number = 1) -> str:
    where = f'x="{_num(x)}" y="{_num(y)}" width="{_num(w)}" height="{_num(h)}" rx="{_num(r)}"'
    return f'<rect {where} fill="{fill}"{_opacity(opacity)}/>'


def path(d: str, fill: str, *, opacity: Number = 1) -> str:
    return f'<path d="{d}" fill="{fill}"{_opacity(opacity)}/>'


def line(d: str, stroke: str, width: Number, *, opacity: Number = 1) -> str:
    """An open path (`d` as in SVG) with round ends."""
    ends = 'stroke-linecap="round" stroke-linejoin="round"'
    line = f'fill="none" stroke="{stroke}" stroke-width="{_num(width)}"'
    return f'<path d="{d}" {line} {ends}{_opacity(opacity)}/>'


def group(*parts: str, x: Number = 0, y: Number = 0, turn: Number = 0, size: Number = 1) -> str:
    move = f"translate({_num(x)} {_num(y)}) rotate({_num(turn)}) scale({_num(size)})"
    return f'<g transform="{move}">{"".join(parts)}</g>'


def steam(x: Number, y: Number, colour: str) -> str:
    """A wisp of steam that rises from (x, y)."""
    d = f"M{_num(x)} {_num(y)}c-12-14 12-22 0-38s10-20 2-34"
    return line(d, colour, 6, opacity=0.55)


def _opacity(opacity: Number) -> str:
    return "" if opacity == 1 else f' opacity="{_num(opacity)}"'


def _num(value: Number) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
