"""Stems of English words: what "noodle" and "noodles" have in common (Snowball's English stemmer)."""

from functools import lru_cache
from threading import Lock

from snowballstemmer import stemmer

#: Shorter words have no other forms.
MIN_LENGTH = 3
_ENGLISH = stemmer("english")
#: A stemmer keeps the word that it works on.
_LOCK = Lock()


def stem(word: str) -> str:
    """The stem of a folded English word; any other word as it is."""
    return _stem_letters(word) if len(word) >= MIN_LENGTH and word.isascii() and word.isalpha() else word


@lru_cache(50_000)
def _stem_letters(word: str) -> str:
    with _LOCK:
        return str(_ENGLISH.stemWord(word))
