"""Compares what searches find with a plain reading of every text: `python -m lab.bench.search.right_values`.

It reads the site that VAR_DIR and REDIS_URL name, such as a demo's, and changes nothing. The queries are
drawn from its own texts: other forms of English words, words joined and apart, other characters, phrases with
one character beside a number, signs alone. SHOW=1 prints those that find something else.
"""

import os
import random
import re
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from opencc import OpenCC  # noqa: E402 - after the settings, as everything below
from snowballstemmer import stemmer  # noqa: E402

from apps.redis_kit import client  # noqa: E402
from apps.search.index import generations, records  # noqa: E402
from apps.search.query.search import SearchRequest, search  # noqa: E402
from apps.search.text import stop_words  # noqa: E402
from lab.bench import reports  # noqa: E402

SEED = 5
#: What the report of the failures asked for, and the kind in which it did.
REPORTED = (
    ("Old Chen Tea House", "shops"), ("hotpot", "notes"), ("hot pot", "notes"), ("noodle", "notes"),
    ("noodles", "notes"), ("🍜", "notes"), ("拉麺", "notes"), ("7eleven", "shops"), ("teahouse", "shops"),
    ("tea house", "shops"),
)  # fmt: skip
_WORD = re.compile(r"[a-z0-9]+")
_ENDING = re.compile(r"(?<=[a-z0-9])['’](?:s|t|re|ve|ll|d|m)\b")
_STEM = cache(stemmer("english").stemWord)


class Query(NamedTuple):
    """A text to search for, and the ids that it should find."""

    group: str
    kind: str
    text: str
    right: frozenset[int]


class Text(NamedTuple):
    """A document: its lines in plain letters and simplified characters, and the stems of its words."""

    lines: list[str]
    words: list[list[str]]
    stems: frozenset[str]
    joined: frozenset[str]


def main() -> None:
    queries = [*_draw(dict(_read_texts("notes")), dict(_read_texts("shops")))]
    rows, spent = [], list[float]()
    redis_before, processor_before = _read_redis_time(), time.process_time()
    for group in dict.fromkeys(query.group for query in queries):
        some = [query for query in queries if query.group == group]
        right = sum(_is_right(query, spent) for query in some)
        rows.append([group, str(len(some)), str(right)])
    redis, processor = _read_redis_time() - redis_before, time.process_time() - processor_before
    rows.append(["all", str(len(queries)), str(sum(int(row[2]) for row in rows))])
    print(reports.markdown_table(["queries", "asked", "right"], rows))
    print(reports.markdown_table(["typed", "kind", "hits"], [*_ask_reported()]))
    print(
        f"A page of a search: {1_000 * processor / len(spent):.2f} ms of this processor, of Redis "
        f"{redis / len(spent):.2f} ms."
    )
    print(_describe_index())


def _read_texts(kind: str) -> Iterator[tuple[int, Text]]:
    registered = records.kind_named(kind)
    for ids in registered.pk_chunks():
        for document in records.load_documents(registered, ids):
            lines = [_plain(text) for name in registered.fields for text in document.texts.get(name, ())]
            yield document.id, _build_text(lines)


def _build_text(lines: list[str]) -> Text:
    words = [_WORD.findall(_ENDING.sub("", line)) for line in lines]
    joined = {
        _STEM(first + second)
        for some in words
        for first, second in zip(some, some[1:], strict=False)
        if stop_words.ENGLISH.isdisjoint((first, second))
    }
    return Text(lines, words, frozenset(_STEM(word) for some in words for word in some), frozenset(joined))


def _plain(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(part for part in parts if not unicodedata.combining(part))
    return _converter("t2s")(plain)


@cache
def _converter(name: str) -> Callable[[str], str]:
    return OpenCC(name).convert


def _draw(notes: dict[int, Text], shops: dict[int, Text]) -> Iterator[Query]:
    chance = random.Random(SEED)
    yield from _draw_forms(notes, chance)
    yield from _draw_joined(notes, chance)
    yield from _draw_apart(notes)
    yield from _draw_characters(notes, chance)
    yield from _draw_numbers(shops, chance)
    yield from (
        Query("signs alone", "notes", text, frozenset())
        for text in "🍜 ! ... 🎉🎉 ？ — “” ♥ ☕️ $$ （） 😀!".split()
    )


def _draw_forms(texts: dict[int, Text], chance: random.Random) -> Iterator[Query]:
    by_stem = defaultdict[str, Counter[str]](Counter)
    for text in texts.values():
        for some in text.words:
            for word in some:
                by_stem[_STEM(word)][word] += 1
    known = [
        stem for stem, words in by_stem.items() if len(words) > 1 and stop_words.ENGLISH.isdisjoint(words)
    ]
    for stem in chance.sample(sorted(known), min(35, len(known))):
        for word, _number in by_stem[stem].most_common(2):
            yield Query(
                "forms of a word",
                "notes",
                word,
                _find_stem(texts, stem),
            )


def _draw_joined(texts: dict[int, Text], chance: random.Random) -> Iterator[Query]:
    counted = Counter(
        (first, second)
        for text in texts.values()
        for some in text.words
        for first, second in zip(some, some[1:], strict=False)
        if first.isalpha()
        and second.isalpha()
        and len(first + second) > 5
        and stop_words.ENGLISH.isdisjoint((first, second))
    )
    common = sorted(pair for pair, number in counted.items() if number > 1)
    for first, second in chance.sample(common, 40):
        stem = _STEM(first + second)
        yield Query(
            "two words typed as one",
            "notes",
            first + second,
            _find_stem(texts, stem),
        )


def _draw_apart(texts: dict[int, Text]) -> Iterator[Query]:
    """Words that two others make, typed with a space between: texts with the one or with both are right."""
    known = {word for text in texts.values() for some in text.words for word in some}
    cuts = [
        (word[:at], word[at:])
        for word in sorted(known)
        if word.isalpha()
        for at in range(3, len(word) - 2)
        if {word[:at], word[at:]} <= known and stop_words.ENGLISH.isdisjoint((word[:at], word[at:]))
    ]
    for first, second in cuts[:25]:
        both, parts = _STEM(first + second), {_STEM(first), _STEM(second)}
        right = {
            number
            for number, text in texts.items()
            if both in text.stems or parts <= text.stems | text.joined
        }
        yield Query("one word typed as two", "notes", f"{first} {second}", frozenset(right))


def _draw_characters(texts: dict[int, Text], chance: random.Random) -> Iterator[Query]:
    runs = sorted(
        {run for text in texts.values() for line in text.lines for run in re.findall("[一-龥]{2,4}", line)}
    )
    changed = [
        (run, other)
        for run in chance.sample(runs, min(len(runs), 3_000))
        for to in ("s2t", "s2hk", "s2tw")
        for other in [_converter(to)(run), _converter("t2jp")(_converter("s2t")(run))]
        if other != run
    ]
    for run, other in chance.sample(sorted(set(changed)), min(50, len(set(changed)))):
        yield Query(
            "characters of Hong Kong, Taiwan, Japan",
            "notes",
            f'"{other}"',
            _find_pattern(texts, re.compile(run)),
        )


def _draw_numbers(texts: dict[int, Text], chance: random.Random) -> Iterator[Query]:
    beside = {
        (before, number)
        for text in texts.values()
        for line in text.lines
        for before, number in re.findall(r"([一-龥])(\d+)", line)
    }
    for before, number in chance.sample(sorted(beside), min(20, len(beside))):
        pattern = re.compile(rf"{before}{number}(?![a-z0-9])")
        yield Query(
            "a character beside a number",
            "shops",
            f'"{before} {number}"',
            _find_pattern(texts, pattern),
        )


def _find_stem(texts: dict[int, Text], stem: str) -> frozenset[int]:
    return frozenset(number for number, text in texts.items() if stem in text.stems | text.joined)


def _find_pattern(texts: dict[int, Text], pattern: re.Pattern[str]) -> frozenset[int]:
    return frozenset(number for number, text in texts.items() if any(map(pattern.search, text.lines)))


def _is_right(query: Query, spent: list[float]) -> bool:
    wanted = SearchRequest(text=query.text, kind=query.kind, is_prefix=False, size=50)
    page = further = search(wanted)
    spent.append(page.took_ms)
    found = [hit.id for hit in page.hits]
    while further.next:
        further = search(replace(wanted, cursor=further.next))
        spent.append(further.took_ms)
        found += [hit.id for hit in further.hits]
    is_right = not page.dropped and (
        set(found) == query.right or (len(found) >= 1_000 and page.total == len(query.right))
    )
    if not is_right and os.environ.get("SHOW"):
        print(
            query.group,
            repr(query.text),
            page.total,
            "right:",
            len(query.right),
            page.corrected,
            page.dropped,
        )
    return is_right


def _read_redis_time() -> float:
    """Milliseconds that the server has worked."""
    commands: dict[str, dict[str, float]] = client.get().info("commandstats")
    return sum(one["usec"] for one in commands.values()) / 1_000


def _ask_reported() -> Iterator[Sequence[str]]:
    for typed, kind in REPORTED:
        page = search(SearchRequest(text=typed, kind=kind))
        said = f"{page.total}" + (f", without {' '.join(page.dropped)}" if page.dropped else "")
        yield [typed, kind, said + (f", for {page.corrected}" if page.corrected else "")]


def _describe_index() -> str:
    redis, sizes = client.get(), Counter[str]()
    for kind, generation in generations.all_live().items():
        for key in redis.scan_iter(f"*{{{kind}}}:{generation}:*", count=1_000):
            sizes[kind] += redis.memory_usage(key, samples=0) or 0
    documents_of = {
        kind: int(generations.read_stats(kind, one)["documents"])
        for kind, one in generations.all_live().items()
    }
    about = ", ".join(
        f"{kind} {size / 1e6:.2f} MB ({documents_of[kind]} documents)" for kind, size in sizes.items()
    )
    return f"The index in Redis: {about}; {sum(sizes.values()) / 1e6:.2f} MB together."


if __name__ == "__main__":
    main()
