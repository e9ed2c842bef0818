"""Keeps the documents that have terms side by side: phrases, and the halves of a word typed as one."""

import re
from collections.abc import Sequence

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.text import terms

#: Documents that are looked at, the best first: those of a phrase of very common words are cut off there.
MAX_CANDIDATES = 2_000
BATCH_SIZE = 100
#: Where a term begins and ends in a record, which is JSON and begins with the terms in order.
_BEGINNING, _END = r'(?:^\["| |\\n)', r'(?= |\\n|")'


def build_pattern(phrase: Sequence[str]) -> re.Pattern[str]:
    """What finds a phrase in a record. A Chinese character at its end may begin or end a pair there."""
    pieces = [re.escape(term) for term in phrase]
    if _is_character(phrase[0]) and not _is_run(phrase[1]):
        pieces[0] = f"[^ ]?{pieces[0]}"
    if _is_character(phrase[-1]) and not _is_run(phrase[-2]):
        pieces[-1] = f'{pieces[-1]}[^ \\\\"]?'
    return re.compile(_BEGINNING + " ".join(pieces) + _END)


def build_pair_pattern(first: str, seconds: Sequence[str]) -> re.Pattern[str]:
    """What finds a word with one of some others behind it in a record, also behind the first's "'s"."""
    others = "|".join(map(re.escape, seconds))
    return re.compile(f"{_BEGINNING}{re.escape(first)} (?:'[a-z]+ )?(?:{others}){_END}")


def store_matching(
    kind: str, generation: int, key: str, target: str, patterns: Sequence[re.Pattern[str]]
) -> int:
    """Store those documents of a result that have all patterns as another result; returns their number."""
    redis = client.get()
    total = 0
    for first in range(0, MAX_CANDIDATES, BATCH_SIZE):
        pairs = transport.scored(
            transport.execute(redis, ("ZREVRANGE", key, first, first + BATCH_SIZE - 1, "WITHSCORES"))
        )
        if not pairs:
            break
        raw = transport.execute(
            redis, ("HMGET", keys.RECORDS(kind=kind, generation=generation), *(member for member, _ in pairs))
        )
        kept: list[float | str] = []
        for (member, score), text in zip(pairs, raw, strict=True):
            if text and all(pattern.search(text) for pattern in patterns):
                kept += [score, member]
        if kept:
            transport.execute_many(redis, [("ZADD", target, *kept), ("EXPIRE", target, 60)])
        total += len(kept) // 2
    return total


def _is_character(term: str) -> bool:
    return len(term) == 1 and _is_run(term)


def _is_run(term: str) -> bool:
    return terms.RUN_PATTERN.match(term) is not None
