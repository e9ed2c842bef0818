"""Money and rates of ads as people read them: rows hold micros (millionths) of the site's currency."""

from decimal import Decimal

from django.conf import settings

from apps.ads.models import MICROS
from apps.shops import money


def write_plainly(micros: int) -> str:
    """ "0.25", "0.005" or "1200.00": the currency's decimals at least, and no more than needed."""
    whole, part = divmod(micros, MICROS)
    decimals = f"{part:06}".rstrip("0").ljust(money.minor_digits(settings.CURRENCY), "0")
    return f"{whole}.{decimals}" if decimals else str(whole)


def format_amount(micros: int) -> str:
    """ "¥1,200.00": rounded to the minor unit; a price under one keeps its decimals."""
    digits = money.minor_digits(settings.CURRENCY)
    amount = Decimal(micros) / MICROS
    if 0 < amount < Decimal(1).scaleb(-digits):
        return format_exactly(micros)
    return money.format_units(amount, settings.CURRENCY, digits)


def format_exactly(micros: int) -> str:
    """ "¥0.005": with all decimals that it has."""
    digits = len(write_plainly(micros).partition(".")[2])
    return money.format_units(Decimal(micros) / MICROS, settings.CURRENCY, digits)


def to_units(micros: int) -> float:
    """Whole units for a chart."""
    return round(micros / MICROS, 4)


def rate_percent(part: int, whole: int) -> float | None:
    """Per cent of a whole with two decimals; None of nothing."""
    return round(100 * part / whole, 2) if whole else None


def format_rate(part: int, whole: int) -> str:
    """ "1.25 %", or a dash for a part of nothing."""
    rate = rate_percent(part, whole)
    return "–" if rate is None else f"{rate:.2f} %"
