"""Compares the index with SQL: which documents it has, and in which versions."""

from collections.abc import Iterator
from dataclasses import dataclass

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import documents, draining, generations, members
from apps.web.batches import chunked
from apps.web.findable import KINDS, Kind

BATCH_SIZE = 500


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
