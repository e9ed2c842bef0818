"""Writers of the same documents at once: the newest version stays, and nothing of an older one."""

import pytest

from apps.accounts.models import User
from apps.blog.writing import notes
from apps.search.index import draining, generations, rebuilding, records, writing
from apps.search.models import IndexEntry
from apps.search.query import ranking
from apps.web.findable import Document
from tests.blog import makers
from tests.races import Race
from tests.search import corpora
from tests.search.index.entries import FIELDS, entry, snapshot

pytestmark = pytest.mark.django_db


def test_an_older_version_changes_nothing() -> None:
    with corpora.indexed({}) as generation:
        writing.put(corpora.NAME, generation, [entry("fresh noodles", 5)])
        writing.put(corpora.NAME, generation, [entry("stale bread", 4)])
        writing.put(corpora.NAME, generation, [records.removed_entry(7, 3)])
        assert [one.id for one in ranking.all_of(corpora.NAME, generation, ["noodles"], limit=5)] == [7]
        assert ranking.all_of(corpora.NAME, generation, ["bread"], limit=5) == []


def test_a_batch_writes_what_single_documents_would_and_keeps_newer_ones() -> None:
    """The words, orders, facets and places of three documents, one of which a change has written before."""
    old = [
        records.build_entry(
            Document(
                number,
                {"text": [f"common noodles {'word ' * number}number{number}"]},
                {"newest": number},
                {},
                {"type": ["food"], "area": [f"area{number % 2}"]},
                (30.0, 120.0 + number),
            ),
            FIELDS,
            3,
        )
        for number in range(5)
    ]
    with corpora.indexed({}) as generation:
        empty = snapshot(corpora.NAME, generation)
        writing.put(corpora.NAME, generation, [*old, entry("changed", 9, number=2)])
        expected = snapshot(corpora.NAME, generation)
        writing.put(corpora.NAME, generation, [records.removed_entry(number, 10) for number in range(5)])
        assert snapshot(corpora.NAME, generation) == empty
    with corpora.indexed({}) as generation:
        writing.put(corpora.NAME, generation, [entry("changed", 9, number=2)])
        writing.fill(corpora.NAME, generation, [*old, records.removed_entry(7, 3)])
        assert snapshot(corpora.NAME, generation) == expected
        assert generations.read_stats(corpora.NAME, generation)["documents"] == 5
        writing.put(corpora.NAME, generation, [records.removed_entry(number, 10) for number in range(5)])
        assert snapshot(corpora.NAME, generation) == empty


def test_rows_wait_on_while_other_writers_come_first(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    note = makers.note(alice, shop=makers.shop("Lakeside"))
    rebuilding.rebuild()
    notes.save(note, text="Fresh noodles")
    with monkeypatch.context() as patch:
        patch.setattr(writing, "_read_stored", lambda _kind, _number, entries: [("0:0", None)] * len(entries))
        with pytest.raises(writing.Contended):
            draining.index_waiting()
    assert IndexEntry.objects.get(kind="notes", object_id=note.pk).is_waiting
    assert draining.index_waiting() >= 1
    assert not IndexEntry.objects.filter(is_waiting=True).exists()


def test_changes_in_the_middle_of_a_batch_win(race: Race) -> None:
    batch = [entry(f"stale{number} common", 1, number=number) for number in range(40)]

    def write(place: int) -> None:
        if place < 10:
            writing.fill(corpora.NAME, generation, batch)
        else:
            number = place - 10
            writing.put(corpora.NAME, generation, [entry(f"fresh{number} common", 2, number=number)])

    with corpora.indexed({}) as generation:
        assert race(50, write) == [None] * 50
        for word, expected in (("fresh", 1), ("stale", 0)):
            found = [
                ranking.all_of(corpora.NAME, generation, [f"{word}{number}"], limit=5) for number in range(40)
            ]
            assert [len(some) for some in found] == [expected] * 40
        assert len(ranking.all_of(corpora.NAME, generation, ["common"], limit=99)) == 40
        assert generations.read_stats(corpora.NAME, generation)["documents"] == 40


def test_a_removed_document_leaves_nothing_and_does_not_come_back() -> None:
    with corpora.indexed({}) as generation:
        before = snapshot(corpora.NAME, generation)
        writing.put(corpora.NAME, generation, [entry("fresh noodles", 5)])
        writing.put(corpora.NAME, generation, [records.removed_entry(7, 6)])
        assert snapshot(corpora.NAME, generation) == before
        writing.put(corpora.NAME, generation, [entry("fresh noodles", 5)])
        assert snapshot(corpora.NAME, generation) == before


def test_of_twenty_writers_the_newest_version_stays(race: Race) -> None:
    versions = [entry(f"word{number} common", number) for number in range(20)]
    with corpora.indexed({}) as generation:
        race(20, lambda number: writing.put(corpora.NAME, generation, [versions[number]]))
        found = [ranking.all_of(corpora.NAME, generation, [f"word{number}"], limit=5) for number in range(20)]
        assert [number for number, some in enumerate(found) if some] == [19]
        assert len(ranking.all_of(corpora.NAME, generation, ["common"], limit=5)) == 1
        assert generations.read_stats(corpora.NAME, generation)["documents"] == 1
