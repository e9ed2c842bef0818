"""How often a test repeats what chance decides: a few times, and often in `make check-all`."""

import os

#: `make check-all` sets it.
IS_LONG = os.environ.get("TEST_LENGTH") == "long"


def choose_rounds(few: int, *, long: int) -> int:
    """Return `few`, and `long` where TEST_LENGTH says so."""
    return long if IS_LONG else few
