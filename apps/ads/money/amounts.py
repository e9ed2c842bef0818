"""Money and rates of ads as people read them: rows hold micros of a yuan."""

from apps.ads.models.campaigns import YUAN_MICROS


def plain_yuan(micros: int) -> str:
    """ "0.25", "0.005" or "1200.00": at least two decimals, and no more than needed."""
    whole, part = divmod(micros, YUAN_MICROS)
    decimals = f"{part:06}".rstrip("0")
    return f"{whole}.{decimals:0<2}"


def format_yuan(micros: int) -> str:
    """ "¥1,200.00": rounded to fen; a price under a fen keeps its decimals."""
    if 0 < micros < YUAN_MICROS // 100:
        return f"¥{plain_yuan(micros)}"
    return f"¥{micros / YUAN_MICROS:,.2f}"


def to_yuan(micros: int) -> float:
    """Yuan for a chart."""
    return round(micros / YUAN_MICROS, 4)


def rate_percent(part: int, whole: int) -> float | None:
    """Per cent of a whole with two decimals; None of nothing."""
    return round(100 * part / whole, 2) if whole else None


def format_rate(part: int, whole: int) -> str:
    """ "1.25 %", or a dash for a part of nothing."""
    rate = rate_percent(part, whole)
    return "–" if rate is None else f"{rate:.2f} %"
