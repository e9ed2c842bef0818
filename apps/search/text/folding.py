"""Folds texts: width, case, accents and traditional characters make no difference to search."""

import unicodedata
from collections.abc import Sequence
from functools import cache

from opencc import OpenCC


class _FoldedCharacters(dict[int, str]):
    """Code point -> its folded characters; `str.translate` computes each once."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


def fold(text: str) -> str:
    """A text in compatible form (NFKC), lower case, without accents, in simplified Chinese.

    Each character is folded alone, so that `fold_with_places` can say where each came from.
    """
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def fold_with_places(text: str) -> tuple[str, Sequence[int]]:
    """The folded text, and for each of its characters the place in `text` that it came from; then the end."""
    if all(len(fold(character)) == 1 for character in set(text)):
        return fold(text), range(len(text) + 1)
    pieces = [fold(character) for character in text]
    places = [place for place, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*places, len(text)]


def _fold_character(character: str) -> str:
    plain = _strip_accents(character)
    folded = _strip_accents(plain.casefold())
    return _simplifier().convert(folded) if folded >= "\u2e80" else folded


def _strip_accents(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not unicodedata.combining(part)))


@cache
def _simplifier() -> OpenCC:
    return OpenCC("t2s")


_FOLDED = _FoldedCharacters()
