"""Compares the index with SQL: which documents it has, in which versions, and what it holds of each."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import partial

from apps.monitoring.reconcile import parts
from apps.redis_kit import client, transport
from apps.redis_kit.findings import Finding
from apps.search import keys
from apps.search.index import contents, documents, draining, generations, members, strangers
from apps.search.index.strangers import Sums
from apps.web.batches import chunked
from apps.web.findable import KINDS, Kind

BATCH_SIZE = 500
#: Documents whose lists are read in one round trip.
BATCH_CONTENTS = 50
#: Every list of every document: minutes for a large site.
CONTENTS_PERIOD = timedelta(days=1)


def find_differences(fix: bool, after: int) -> Iterator[tuple[int, Iterable[Finding]]]:
    """Yield the last id of each batch past the id `after`, with its differences, of the kinds with an index.

    A kind without one is the sweep's matter, which rebuilds it.
    """
    draining.remove_past()
    yield from parts.in_turn(*(partial(_compare_kind, kind) for kind in KINDS.entries()))(fix, after)


def _compare_kind(kind: Kind, fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch of things past the id `after`, and its differences; then strangers."""
    generation = generations.live(kind.name)
    if generation is None:
        return
    for ids in kind.pk_chunks(after):
        yield ids[-1], _compare_batch(kind, generation, ids, fix=fix)
    yield after, _compare_unknown(kind, generation, fix=fix)


def _compare_unknown(kind: Kind, generation: int, *, fix: bool) -> Iterator[Finding]:
    """Documents of things that may not be found."""
    seen = {number for ids in kind.pk_chunks() for number in ids}
    for some in chunked(_indexed_ids(kind.name, generation), BATCH_SIZE):
        unknown = [number for number in some if number not in seen]
        yield from _compare_batch(kind, generation, unknown, fix=fix)


def _compare_batch(kind: Kind, generation: int, ids: list[int], *, fix: bool) -> Iterator[Finding]:
    if not ids:
        return
    versions = draining.read_versions(kind.name, ids)
    # Read after the versions: what is newer than they say is on its way, and no difference.
    actual = _indexed_versions(kind.name, generation, ids)
    findable = {document.id for document in documents.load(kind, ids)}
    wrong = [number for number in ids if _differs(actual[number], versions[number], number in findable)]
    # What ended since the last sweep: search does not find it, and the next sweep removes it.
    ended = draining.find_ended(kind, generation, [number for number in wrong if number not in findable])
    wrong = [number for number in wrong if number not in ended]
    for number in wrong:
        expected = str(versions[number]) if number in findable else "nothing"
        indexed = "" if actual[number] is None else str(actual[number])
        yield Finding(f"{kind.name} {number}" if number else kind.name, "version", indexed, expected)
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


def compare_contents(fix: bool, after: int = 0) -> Iterator[tuple[int, Iterable[Finding]]]:
    """Yield documents whose lists differ from their rows, strangers in lists, and wrong sums; each twice."""
    yield from parts.in_turn(*(partial(_compare_contents, kind) for kind in KINDS.entries()))(fix, after)


def _compare_contents(kind: Kind, fix: bool, after: int) -> Iterator[tuple[int, Iterable[Finding]]]:
    generation = generations.live(kind.name)
    if generation is None:
        return
    for ids in kind.pk_chunks(after):
        for some in chunked(ids, BATCH_CONTENTS):
            yield some[-1], _check_documents(kind, generation, some, fix=fix)
    yield after, _check_totals(kind.name, generation, fix=fix)


def _check_documents(kind: Kind, generation: int, ids: list[int], *, fix: bool) -> Iterator[Finding]:
    suspects = [members.decode(entry.member) for entry, _ in contents.find_wrong(kind, generation, ids)]
    wrong = contents.find_wrong(kind, generation, suspects) if suspects else []
    if fix and wrong:
        contents.repair(kind, generation, wrong)
    for entry, aspects in wrong:
        yield Finding(f"{kind.name} {members.decode(entry.member)}", "contents", ", ".join(aspects))


def _check_totals(name: str, generation: int, *, fix: bool) -> Iterator[Finding]:
    """Strangers in lists, and sums: what all records add up to is read once, and again for a suspect."""
    sums = strangers.add_up(name, generation)
    yield from _check_strangers(name, generation, sums, fix=fix)
    yield from _check_sums(name, generation, sums, fix=fix)


def _check_strangers(name: str, generation: int, sums: Sums, *, fix: bool) -> Iterator[Finding]:
    for find, remove, aspect in (
        (strangers.find_in_postings, strangers.remove_from_postings, "stranger to a term"),
        (strangers.find_in_facets, strangers.remove_from_facets, "stranger to a facet"),
    ):
        found = find(name, generation, sums)
        found = found & find(name, generation, strangers.add_up(name, generation)) if found else found
        if fix:
            remove(name, generation, found)
        for listed, member in sorted(found):
            yield Finding(f"{name} {member[1:]}", aspect, listed, "")


def _check_sums(name: str, generation: int, sums: Sums, *, fix: bool) -> Iterator[Finding]:
    """Numbers of documents, as a whole and by facet; wrong only if they are off by the same twice."""
    for find, correct, aspect in (
        (strangers.find_wrong_values, strangers.write_values, "documents of a facet"),
        (strangers.find_wrong_stats, strangers.correct_stats, "statistics"),
    ):
        first = find(name, generation, sums)
        again = find(name, generation, strangers.add_up(name, generation)) if first else {}
        wrong = dict(first.items() & again.items())
        if fix:
            correct(name, generation, wrong)
        for subject, number in sorted(wrong.items()):
            yield Finding(name, aspect, subject, str(number))
