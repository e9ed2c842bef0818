"""The few SVG shapes that the drawings are made of; numbers and colours of ours, never text of people."""

Number = float | int


def circle(x: Number, y: Number, r: Number, fill: str, *, opacity: Number = 1) -> str:
    return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}" fill="{fill}"{_fade(opacity)}/>'


def ellipse(x: Number, y: Number, rx: Number, ry: Number, fill: str, *, opacity: Number = 1) -> str:
    where = f'cx="{_n(x)}" cy="{_n(y)}" rx="{_n(rx)}" ry="{_n(ry)}"'
    return f'<ellipse {where} fill="{fill}"{_fade(opacity)}/>'


def rect(x: Number, y: Number, w: Number, h: Number, fill: str, *, r: Number = 0, opacity: Number = 1) -> str:
    where = f'x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" rx="{_n(r)}"'
    return f'<rect {where} fill="{fill}"{_fade(opacity)}/>'


def path(d: str, fill: str, *, opacity: Number = 1) -> str:
    return f'<path d="{d}" fill="{fill}"{_fade(opacity)}/>'


def line(d: str, stroke: str, width: Number, *, opacity: Number = 1) -> str:
    """An open path with round ends."""
    ends = 'stroke-linecap="round" stroke-linejoin="round"'
    return f'<path d="{d}" fill="none" stroke="{stroke}" stroke-width="{_n(width)}" {ends}{_fade(opacity)}/>'


def group(*parts: str, x: Number = 0, y: Number = 0, turn: Number = 0, size: Number = 1) -> str:
    move = f"translate({_n(x)} {_n(y)}) rotate({_n(turn)}) scale({_n(size)})"
    return f'<g transform="{move}">{"".join(parts)}</g>'


def steam(x: Number, y: Number, colour: str) -> str:
    """A wisp that rises from (x, y)."""
    d = f"M{_n(x)} {_n(y)}c-12-14 12-22 0-38s10-20 2-34"
    return line(d, colour, 6, opacity=0.55)


def _fade(opacity: Number) -> str:
    return "" if opacity == 1 else f' opacity="{_n(opacity)}"'


def _n(value: Number) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
