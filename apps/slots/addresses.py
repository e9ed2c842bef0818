"""Addresses with one id in them, which lists are full of: `reverse` searches once a view, not once a row."""

from functools import cache

from django.urls import reverse

#: Stand in for an id, or for the name of a file, while the address around them is looked up.
_ID, _NAME = 987_654_321_987, "0123456789abcdef" * 2


def of(view: str, part: int | str) -> str:
    """`of("shops:detail", 7)` -> "/shops/7/"; a text goes in as it is, so it must be a name of our making."""
    before, after = _around(view, _ID if isinstance(part, int) else _NAME)
    return f"{before}{part}{after}"


@cache
def _around(view: str, sample: int | str) -> tuple[str, str]:
    before, _, after = reverse(view, args=[sample]).partition(str(sample))
    return before, after
