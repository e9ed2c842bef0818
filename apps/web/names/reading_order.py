"""The order in which people read names: Chinese by pinyin, digits as numbers, without case and accents.

`sort_key(name)` is a text; the order of the keys' code points is the order of the names, over whole names.
"""

import re
import unicodedata
from collections.abc import Sequence

from apps.web.names import readings

#: A number has fewer digits than this, or is cut: a code point counts them.
_MAX_DIGITS = 5_000
_PIECE = re.compile(rf"\d+|{readings.HAN_RUN.pattern}|\D")
#: Between the parts of a key: smaller than each character of a part, so that shorter names come first.
_END = "\1"


def sort_key(name: str) -> str:
    """The key of a name; names with one reading are ordered by their spelling."""
    plain = _strip_accents(unicodedata.normalize("NFKC", name).casefold())
    pieces = _PIECE.findall(plain)
    head = "".join(map(_head_key, pieces[:1]))
    return f"{head}{''.join(map(_piece_key, pieces[1:]))}{_END}{name}"


def _head_key(piece: str) -> str:
    """The key of what a name begins with: a surname or a place as such."""
    if not readings.has_chinese(piece):
        return _piece_key(piece)
    return "".join(_character_keys(piece, readings.ways_with_tones(piece)[0]))


def _piece_key(piece: str) -> str:
    if piece.isdecimal():
        return _number_key(piece)
    if readings.has_chinese(piece):
        return "".join(_character_keys(piece, readings.syllables_with_tones(piece)))
    return piece


def _number_key(digits: str) -> str:
    """A number by the count of its digits, then by these: 2 before 10. It begins as a digit does."""
    plain = "".join(str(unicodedata.digit(digit)) for digit in digits).lstrip("0")[:_MAX_DIGITS]
    return f"0{chr(0x100 + len(plain))}{plain}"


def _character_keys(chinese: str, read: Sequence[str]) -> list[str]:
    """Each character by its reading in its word, by tone, and then by itself."""
    if len(read) != len(chinese):
        read = [readings.syllable_with_tone(character) for character in chinese]
    return [f"{syllable}{_END}{character}" for syllable, character in zip(read, chinese, strict=True)]


def _strip_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(one for one in decomposed if not "\u0300" <= one <= "\u036f"))
