"""URLs with one id in them: one `reverse` per view instead of one per row of a list."""

from functools import cache

from django.urls import reverse

#: Stand in for an id, or for the name of a file, while the address around them is looked up.
_SAMPLE_ID, _SAMPLE_NAME = 987_654_321_987, "0123456789abcdef" * 2


def build(view: str, part: int | str) -> str:
    """`build("shops:detail", 7)` -> "/shops/7/"; text is inserted as it is, so it must be a safe name."""
    before, after = _split_url(view, _SAMPLE_ID if isinstance(part, int) else _SAMPLE_NAME)
    return f"{before}{part}{after}"


@cache
def _split_url(view: str, sample: int | str) -> tuple[str, str]:
    before, _, after = reverse(view, args=[sample]).partition(str(sample))
    return before, after
