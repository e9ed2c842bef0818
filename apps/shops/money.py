"""Money as people read it; models and JSON hold whole minor units."""

from apps.shops.money_field import MINOR_UNITS

SYMBOLS = {"CNY": "¥"}


def format_amount(minor: int, currency: str = "CNY") -> str:
    """4900 as "¥49", 4990 as "¥49.90"; a currency without a symbol of ours by its code."""
    whole, rest = divmod(minor, MINOR_UNITS)
    return f"{SYMBOLS.get(currency, currency + ' ')}{whole:,}" + (f".{rest:02}" if rest else "")
