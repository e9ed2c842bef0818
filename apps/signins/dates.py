"""Parses months and days from URLs and JSON bodies."""

import re
from datetime import date

from apps.signins import refusals
from apps.signins.refusals import Refusal

#: yyyy-mm-dd in ASCII digits only; date.fromisoformat alone accepts many more forms of ISO 8601.
_DAY_PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def parse_month(text: str) -> date:
    """The first day of a month written like "2026-11"; raises Problem 422 bad_month."""
    return _parse_iso_day(f"{text}-01", refusals.BAD_MONTH)


def parse_day(text: str) -> date:
    """A day written like "2026-11-03"; raises Problem 422 bad_day."""
    return _parse_iso_day(text, refusals.BAD_DAY)


def _parse_iso_day(text: str, refusal: Refusal) -> date:
    try:
        if _DAY_PATTERN.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise refusal.problem()
