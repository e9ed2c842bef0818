"""Stems of English words: what "noodle" and "noodles" have in common (Snowball's English stemmer)."""

from functools import cache, lru_cache
from importlib import import_module
from threading import Lock
from typing import Any

#: Shorter words have no other forms.
MIN_LENGTH = 3
#: A stemmer keeps the word that it works on.
_LOCK = Lock()


def stem(word: str) -> str:
    """The stem of a folded English word; any other word as it is."""
    return _stem_letters(word) if len(word) >= MIN_LENGTH and word.isascii() and word.isalpha() else word


@lru_cache(50_000)
def _stem_letters(word: str) -> str:
    with _LOCK:
        return str(_english().stemWord(word))


@cache
def _english() -> Any:
    # Not at the top: it loads the stemmers of all languages, 3 MB, and only search needs this one.
    return import_module("snowballstemmer").stemmer("english")
