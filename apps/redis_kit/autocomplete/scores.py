"""Strings as scores of a sorted set: order by score is order by the first six bytes, longer names after.

    score("robber") < score("robbers"), ZRANGE names low (high BYSCORE with low, high = prefix_range("rob")

A byte counts 1 to 256 and a missing one 0, so six make a number below 257^6; the last bit says whether the
string goes on. 257^6 * 2 is below 2^53, so a double holds each score exactly, and UTF-8 keeps the order of
code points.
Source: Redis in Action, section 7.1.4 and chapter 6's variant, whose prefix range ends with "z" and so loses
names past it.
"""

DIGIT_VALUES = 257
MAX_BYTES = 6
#: Integers from here on are not all doubles.
DOUBLE_LIMIT = 1 << 53


def score(text: str, *, size: int = MAX_BYTES, ignore_case: bool = False) -> int:
    """The score of a string by its first `size` bytes; OverflowError for a size that no double can hold."""
    _require_exact(size)
    encoded = _encode(text, ignore_case)
    return _number(encoded[:size], size) * 2 + (len(encoded) > size)


def prefix_range(prefix: str, *, size: int = MAX_BYTES, ignore_case: bool = False) -> tuple[int, int]:
    """(low, high): low <= score(text) < high for each text that begins with the prefix.

    Up to `size` bytes it holds no others. Past that it also holds what only shares the first bytes.
    """
    _require_exact(size)
    encoded = _encode(prefix, ignore_case)
    low = _number(encoded[:size], size) * 2
    if len(encoded) > size:
        return low + 1, low + 2
    return low, low + 2 * DIGIT_VALUES ** (size - len(encoded))


def _number(encoded: bytes, size: int) -> int:
    number = 0
    for byte in encoded:
        number = number * DIGIT_VALUES + byte + 1
    return number * int(DIGIT_VALUES ** (size - len(encoded)))


def _encode(text: str, ignore_case: bool) -> bytes:
    return (text.casefold() if ignore_case else text).encode()


def _require_exact(size: int) -> None:
    if size < 1 or 2 * DIGIT_VALUES**size > DOUBLE_LIMIT:
        raise OverflowError(f"a double holds no score of {size} bytes exactly")
