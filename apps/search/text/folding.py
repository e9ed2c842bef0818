"""Folds texts: width, case, accents and the spelling of a Chinese character make no difference to search."""

import unicodedata
from collections.abc import Sequence

from apps.search.text import variants
from apps.web.characters import drop_ignorable

#: What stands for an apostrophe.
_APOSTROPHES = frozenset("\u2018\u2019\u02bc\u02b9\u2032`\u00b4")
#: Points between words and between the parts of a name, of which one is a letter of Japanese to Unicode.
_POINTS = frozenset("\u30fb\u2022\u2027\u22c5")

#: More than all that people write with: 2 MB.
MAX_KEPT_CHARACTERS = 20_000


class _FoldedCharacters(dict[int, str]):
    """Code point -> its folded characters; `str.translate` computes each once.

    Past MAX_KEPT_CHARACTERS it starts over: texts may hold any of Unicode's million.
    """

    def __missing__(self, code: int) -> str:
        if len(self) >= MAX_KEPT_CHARACTERS:
            self.clear()
        folded = self[code] = _fold_character(chr(code))
        return folded


def fold(text: str) -> str:
    """A text in compatible form (NFKC), lower case, without accents, in simplified Chinese.

    Characters that are drawn as nothing are left out, and there is one apostrophe, one middle dot and one set
    of digits. Each character is folded alone, so that `fold_with_places` can say where each came from.
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
    if character in _APOSTROPHES:
        return "'"
    if unicodedata.category(character) == "Nd":
        return str(unicodedata.decimal(character))
    plain = _strip_accents(drop_ignorable(character))
    folded = _strip_accents(plain.casefold())
    if folded in _POINTS:
        return "\u00b7"
    return variants.simplify(folded) if folded >= "\u2e80" else folded


def _strip_accents(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not unicodedata.combining(part)))


_FOLDED = _FoldedCharacters()
