"""The words that staff edit, as every search reads them."""

import re
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from apps.queues import owed
from apps.redis_kit import cache
from apps.search import keys
from apps.search.models import BlockedWord, StopWord, SynonymGroup

Lists = dict[str, list[list[str]]]
_HAN_PATTERN = re.compile("[\u3400-\u9fff]")


@dataclass(frozen=True)
class WordLists:
    """`synonyms`: word -> the others of its groups; `kept_words` are built-in stop words to search for."""

    synonyms: dict[str, tuple[str, ...]]
    stop_words: frozenset[str]
    kept_words: frozenset[str]
    blocked: frozenset[str]

    def is_blocked(self, text: str) -> bool:
        """Whether a normalized text contains a blocked word: a whole Latin word, or Chinese anywhere."""
        return bool(self._blocked_pattern and self._blocked_pattern.search(text))

    @cached_property
    def _blocked_pattern(self) -> re.Pattern[str] | None:
        parts = [_word_pattern(word) for word in sorted(self.blocked)]
        return re.compile("|".join(parts)) if parts else None


def load() -> WordLists:
    """The words as they are now: one round trip; from SQL while Redis is away."""
    cached = _CACHE.get() or _load_rows()
    groups, (stop_words, kept_words, blocked) = cached["groups"], cached["words"]
    return WordLists(
        _build_synonyms(groups), frozenset(stop_words), frozenset(kept_words), frozenset(blocked)
    )


def changed() -> None:
    """Make searches read the words again after the commit; call it in the transaction that changes one."""
    owed.run_after_commit(forget_copy)


def forget_copy() -> bool:
    """Have the next search read the words from SQL; False when Redis is away."""
    return _CACHE.invalidate()


def _load_rows() -> Lists:
    stop_words = dict(StopWord.objects.values_list("word", "is_searched"))
    dropped = [word for word, is_searched in stop_words.items() if not is_searched]
    kept = [word for word, is_searched in stop_words.items() if is_searched]
    blocked = list(BlockedWord.objects.values_list("word", flat=True))
    groups = [group.members() for group in SynonymGroup.objects.order_by("pk")]
    return {"groups": groups, "words": [dropped, kept, blocked]}


def _build_synonyms(groups: list[list[str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for word in group:
            others = [other for other in group if other != word]
            found[word] = tuple(dict.fromkeys((*found.get(word, ()), *others)))
    return found


def _word_pattern(word: str) -> str:
    escaped = re.escape(word)
    return escaped if _HAN_PATTERN.search(word) else rf"(?<!\w){escaped}(?!\w)"


_CACHE: cache.Cache[Lists] = cache.Cache(
    keys.WORD_LISTS, load=_load_rows, fresh=timedelta(minutes=5), ttl=timedelta(days=1)
)
