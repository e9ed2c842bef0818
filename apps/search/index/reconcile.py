"""Compares the index with SQL: which documents it has, in which versions, and what it holds of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from apps.monitoring.reconcile import parts
from apps.monitoring.reconcile.parts import Finding
from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import contents, documents, draining, generations, members, strangers
from apps.web.batches import chunked
from apps.web.findable import KINDS, Kind

BATCH_SIZE = 500
#: Documents whose lists are read in one round trip.
BATCH_CONTENTS = 50
#: Every list of every document: minutes for a large site.
CONTENTS_PERIOD = timedelta(days=1)


@dataclass(frozen=True)
class Drift:
    """A document whose version in the index differs from SQL's; "" stands for no document."""

    kind: str
    document_id: int
    actual: str
    expected: str


def drift(*, fix: bool = False) -> Iterator[Drift]:
    """Yield every difference of the kinds that have an index; `fix` repairs it.

    A kind without one is the sweep's matter, which rebuilds it.
    """
    for name, kind in KINDS.items():
        generation = generations.live(name)
        if generation is not None:
            yield from _compare_kind(kind, generation, fix=fix)


def _compare_kind(kind: Kind, generation: int, *, fix: bool) -> Iterator[Drift]:
    seen: set[int] = set()
    for ids in kind.pk_chunks():
        for some in chunked(ids, BATCH_SIZE):
            seen.update(some)
            yield from _compare_batch(kind, generation, some, fix=fix)
    for some in chunked(_indexed_ids(kind.name, generation), BATCH_SIZE):
        unknown = [number for number in some if number not in seen]
        yield from _compare_batch(kind, generation, unknown, fix=fix)


def _compare_batch(kind: Kind, generation: int, ids: list[int], *, fix: bool) -> Iterator[Drift]:
    if not ids:
        return
    versions = draining.read_versions(kind.name, ids)
    # Read after the versions: what is newer than they say is on its way, and no difference.
    actual = _indexed_versions(kind.name, generation, ids)
    findable = {document.id for document in documents.load(kind, ids)}
    wrong = [number for number in ids if _differs(actual[number], versions[number], number in findable)]
    for number in wrong:
        expected = str(versions[number]) if number in findable else ""
        yield Drift(kind.name, number, str(actual[number] if actual[number] is not None else ""), expected)
    if fix and wrong:
        draining.put_versions(kind.name, draining.read_versions(kind.name, wrong))


def _differs(actual: int | None, version: int, is_findable: bool) -> bool:
    if not is_findable:
        return actual is not None
    return actual is None or actual < version


def _indexed_versions(kind: str, generation: int, ids: list[int]) -> dict[int, int | None]:
    """The version of each document that the index has; None for one that it has not, or has removed."""
    wanted = [members.encode(number) for number in ids]
    versions, orders = transport.execute_many(
        client.get(),
        [
            ("HMGET", keys.VERSIONS(kind=kind, generation=generation), *wanted),
            ("ZMSCORE", keys.ORDER(kind=kind, generation=generation, order=generations.ALL), *wanted),
        ],
    )
    return {
        number: int(version.partition(":")[0]) if version and score is not None else None
        for number, version, score in zip(ids, versions, orders, strict=True)
    }


def _indexed_ids(kind: str, generation: int) -> Iterator[int]:
    key = keys.ORDER(kind=kind, generation=generation, order=generations.ALL)
    for member, _score in client.get().zscan_iter(key, count=1_000):
        yield members.decode(member)


def register() -> None:
    """Register the parts, which run last: what others repair changes documents."""
    parts.register(
        "search.index", _check, about="which documents the search index has, and how new", order=90
    )
    about = "what the search index holds of each document: terms, orders, facets, places, sums"
    parts.register("search.contents", check_contents, about=about, period=CONTENTS_PERIOD, order=91)


def check_contents(fix: bool) -> Iterator[Finding]:
    """Yield documents whose lists differ from their rows, strangers in lists, and wrong sums; each twice."""
    for name, kind in KINDS.items():
        generation = generations.live(name)
        if generation is not None:
            yield from _check_documents(kind, generation, fix=fix)
            yield from _check_strangers(name, generation, fix=fix)
            yield from _check_sums(name, generation, fix=fix)


def _check_documents(kind: Kind, generation: int, *, fix: bool) -> Iterator[Finding]:
    for ids in kind.pk_chunks():
        for some in chunked(ids, BATCH_CONTENTS):
            suspects = [
                members.decode(entry.member) for entry, _ in contents.find_wrong(kind, generation, some)
            ]
            wrong = contents.find_wrong(kind, generation, suspects) if suspects else []
            if fix and wrong:
                contents.repair(kind, generation, wrong)
            for entry, aspects in wrong:
                yield Finding(f"{kind.name} {members.decode(entry.member)}", "contents", ", ".join(aspects))


def _check_strangers(name: str, generation: int, *, fix: bool) -> Iterator[Finding]:
    for find, remove, aspect in (
        (strangers.find_in_postings, strangers.remove_from_postings, "stranger to a term"),
        (strangers.find_in_facets, strangers.remove_from_facets, "stranger to a facet"),
    ):
        found = find(name, generation, strangers.add_up(name, generation))
        found = found & find(name, generation, strangers.add_up(name, generation)) if found else found
        if fix:
            remove(name, generation, found)
        for listed, member in sorted(found):
            yield Finding(f"{name} {member[1:]}", aspect, listed, "")


def _check_sums(name: str, generation: int, *, fix: bool) -> Iterator[Finding]:
    """Numbers of documents, as a whole and by facet; wrong only if they are off by the same twice."""
    for find, correct, aspect in (
        (strangers.find_wrong_values, strangers.write_values, "documents of a facet"),
        (strangers.find_wrong_stats, strangers.correct_stats, "statistics"),
    ):
        first = find(name, generation, strangers.add_up(name, generation))
        again = find(name, generation, strangers.add_up(name, generation)) if first else {}
        wrong = dict(first.items() & again.items())
        if fix:
            correct(name, generation, wrong)
        for subject, number in sorted(wrong.items()):
            yield Finding(name, aspect, subject, str(number))


def _check(fix: bool) -> Iterator[Finding]:
    for found in drift(fix=fix):
        owner = f"{found.kind} {found.document_id}" if found.document_id else found.kind
        yield Finding(owner, "version", found.actual, found.expected or "nothing")
