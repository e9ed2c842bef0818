"""The index follows SQL: versions, races, generations, and what is left of old ones."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
import time_machine

from apps.accounts.models import User
from apps.blog.models import Note
from apps.blog.writing import notes
from apps.redis_kit import client
from apps.redis_kit.autocomplete.name_index import NameIndex
from apps.redis_kit.findings import Finding
from apps.search import changes, keys, tasks
from apps.search.index import draining, facts, generations, rebuilding, records, writing
from apps.search.models import IndexEntry
from apps.search.query.search import SearchRequest, search
from apps.search.suggest import finding, indexing
from apps.search.suggest.sources import PEOPLE
from apps.shops import changes as shop_changes
from apps.shops.models import Shop
from apps.web.findable import KINDS
from tests.blog import makers
from tests.differences import find_differences
from tests.factories import FlashSaleFactory
from tests.search import corpora
from tests.search.index.entries import list_stale_keys

pytestmark = pytest.mark.django_db


def test_a_rebuild_outlasts_a_redis_that_is_slow_for_a_moment(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers.note(alice, shop=makers.shop("Lakeside"))
    fill, refusals = writing.fill, [redis.TimeoutError(), redis.TimeoutError()]

    def fill_late(*batch: Any) -> None:
        fill(*batch)
        if refusals:
            raise refusals.pop()

    monkeypatch.setattr(writing, "fill", fill_late)
    monkeypatch.setattr(rebuilding, "PAUSES", (0, 0))
    rebuilding.rebuild()
    assert (refusals, list_stale_keys()) == ([], [])


def test_a_rebuild_of_names_outlasts_it_too(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    put, refusals = NameIndex.put, [redis.TimeoutError(), redis.TimeoutError()]

    def put_late(index: NameIndex, *batch: Any) -> None:
        put(index, *batch)
        if refusals:
            raise refusals.pop()

    monkeypatch.setattr(NameIndex, "put", put_late)
    monkeypatch.setattr(rebuilding, "PAUSES", (0, 0))
    indexing.rebuild()
    found = finding.find_suggestions(alice.nickname, PEOPLE)
    assert (refusals, [one.id for one in found]) == ([], [alice.pk])


def test_a_window_that_is_over_is_no_difference() -> None:
    """The sweep takes such a document out, within ten seconds."""
    sale = FlashSaleFactory.create()
    rebuilding.rebuild()
    with time_machine.travel(sale.ends_at + timedelta(seconds=1)):
        assert find_differences("search.index") == []
        assert draining.remove_past() == 1
        assert find_differences("search.index") == []


def test_what_waits_for_a_worker_is_no_difference(alice: User) -> None:
    note, other = makers.note(alice, shop=makers.shop("Lakeside")), makers.note(alice)
    rebuilding.rebuild()
    notes.hide(note)
    assert find_differences("search.index") == []
    draining.index_waiting()
    # Behind the back of its verbs.
    Note.objects.filter(pk=other.pk).update(status=Note.Status.DRAFT)
    assert [(one.owner, one.actual, one.expected) for one in find_differences("search.index")] == [
        ("notes", "1", "0")
    ]


def test_random_edits_leave_what_a_rebuild_would_make(alice: User) -> None:
    chance = random.Random(4)
    words = ["noodle", "lake", "hot", "pot", "café", "火锅", "面馆", "三楼"]
    shops = [makers.shop(f"Shop {number}") for number in range(4)]
    written = [makers.note(alice, shop=shop) for shop in shops]
    rebuilding.rebuild()
    for _ in range(60):
        shop, note = chance.choice(shops), chance.choice(written)
        text = " ".join(chance.choices(words, k=5))
        edit = chance.randrange(4)
        if edit == 0:
            price = chance.randint(1, 30_000)
            shop_changes.update(Shop.objects.filter(pk=shop.pk), name_en=text[:80], price=price)
        elif edit == 1:
            is_listed = chance.random() < 0.6
            shop_changes.update(Shop.objects.filter(pk=shop.pk), is_listed=is_listed)
        elif edit == 2:
            _edit(note.pk, text)
        else:
            _hide_or_restore(note.pk)
        if chance.random() < 0.3:
            draining.index_waiting()
    draining.index_waiting()
    assert (find_differences("search.index"), list_stale_keys()) == ([], [])


def _edit(note_id: int, text: str) -> None:
    note = Note.objects.get(pk=note_id)
    if note.status == "published":
        notes.save(note, text=text)


def _hide_or_restore(note_id: int) -> None:
    note = Note.objects.get(pk=note_id)
    (notes.hide if note.status == "published" else notes.restore)(note)


def test_reconcile_rebuilds_a_kind_that_lacks_documents_or_has_too_many() -> None:
    shop, other = makers.shop("Lakeside Noodle House"), makers.shop("Third Floor")
    rebuilding.rebuild()
    draining.index_waiting()
    generation = generations.live("shops")
    assert generation
    writing.put("shops", generation, [records.removed_entry(other.pk, 1)])
    assert find_differences("search.index", fix=True) == [Finding("shops", "documents", "1", "2")]
    assert (find_differences("search.index"), list_stale_keys()) == ([], [])
    Shop.objects.filter(pk=shop.pk).update(is_listed=False)
    assert find_differences("search.index", fix=True) == [Finding("shops", "documents", "2", "1")]
    assert [hit.id for hit in search(SearchRequest(text="", kind="shops")).hits] == [other.pk]


def test_the_night_mends_whatever_became_of_the_lists(transactional_db: None) -> None:
    makers.shop("Lakeside Noodle House")
    rebuilding.rebuild()
    generation = generations.live("shops")
    named = keys.generation_parts("shops", generation or 0)
    client.get().delete(keys.POSTINGS(term="noodle", **named), keys.VOCABULARY(**named))
    client.get().zadd(keys.POSTINGS(term="lakeside", **named), {records.encode_member(99_999): 5})
    assert list_stale_keys() != []
    tasks.rebuild()
    assert (generations.live("shops") != generation, list_stale_keys()) == (True, [])
    assert [hit.thing.name_en for hit in search(SearchRequest(text="nood")).hits] == ["Lakeside Noodle House"]


def test_a_query_during_a_rebuild_sees_the_same_ids() -> None:
    texts = corpora.make_english(600)
    common = corpora.PlainIndex(texts).with_term.most_common(1)[0][0]
    seen: list[list[int]] = []

    def ask() -> None:
        if generations.live(corpora.NAME):
            page = search(SearchRequest(text=common, kind=corpora.NAME, size=50))
            seen.append([hit.id for hit in page.hits])

    with KINDS.registered(corpora.build_kind(texts, between=ask), key=corpora.NAME):
        rebuilding.rebuild_kind(corpora.NAME)
        ask()
        rebuilding.rebuild_kind(corpora.NAME)
        ask()
    assert len(seen) > 3
    assert all(some == seen[0] and some for some in seen)


def test_a_change_during_a_rebuild_is_in_the_next_generation() -> None:
    texts = {1: "noodles", 2: "bread"}

    def change() -> None:
        texts[1] = "rice"
        changes.record(corpora.NAME, [1])
        draining.index_waiting()

    with KINDS.registered(corpora.build_kind(texts), key=corpora.NAME):
        rebuilding.rebuild_kind(corpora.NAME)
    with KINDS.registered(corpora.build_kind(texts, between=change), key=corpora.NAME):
        rebuilding.rebuild_kind(corpora.NAME)
        page = search(SearchRequest(text="rice", kind=corpora.NAME))
        assert [hit.id for hit in page.hits] == [1]


def test_an_old_generation_expires_and_an_unfinished_one_too() -> None:
    texts = {1: "noodles"}
    redis = client.get()
    with KINDS.registered(corpora.build_kind(texts), key=corpora.NAME):
        rebuilding.rebuild_kind(corpora.NAME)
        old = generations.live(corpora.NAME)
        unfinished = generations.begin(corpora.NAME, 3.0)
        assert 0 < redis.ttl(keys.BUILDING(kind=corpora.NAME)) <= generations.BUILDING_SECONDS
        rebuilding.rebuild_kind(corpora.NAME)
        left = [key for number in (old, unfinished) for key in redis.scan_iter(f"*:{number}:*")]
        assert left
        assert all(0 < redis.ttl(key) <= generations.OLD_SECONDS for key in left)


def test_of_a_search_only_what_its_cursor_needs_stays() -> None:
    redis = client.get()
    with corpora.indexed({number: f"hot noodles {number}" for number in range(1, 41)}):
        whole = search(SearchRequest(text="hot +cold noodles", kind=corpora.NAME, size=50))
        assert (len(whole.hits), whole.next) == (40, None)
        assert not [*redis.scan_iter("*:result:*"), *redis.scan_iter("*:pages:*")]
        assert search(SearchRequest(text="hot noodles", kind=corpora.NAME, size=10)).next
        (kept,) = [*redis.scan_iter("*:result:*"), *redis.scan_iter("*:pages:*")]
        assert 0 < redis.ttl(kept) <= 600
        assert (redis.memory_usage(kept) or 0) <= 600


def test_after_a_loss_of_redis_the_sweep_rebuilds(transactional_db: None) -> None:
    shop = makers.shop("Lakeside Noodle House")
    rebuilding.rebuild()
    client.get().flushall()
    shop_changes.update(Shop.objects.filter(pk=shop.pk), name_en="Lakeside Rice House")
    tasks.sweep()
    assert [hit.id for hit in search(SearchRequest(text="rice")).hits] == [shop.pk]
    assert not IndexEntry.objects.filter(is_waiting=True, kind="shops").exists()


def test_a_saved_note_is_found_after_its_commit(transactional_db: None, alice: User) -> None:
    rebuilding.rebuild()
    note = makers.note(alice, title="Broth")
    notes.save(note, title="Unforgettable dumplings")
    assert [hit.id for hit in search(SearchRequest(text="dumplings")).hits] == [note.pk]
    assert 0 <= IndexEntry.objects.filter(is_waiting=True).count() == 0


def test_without_redis_changes_wait_for_the_sweep(
    transactional_db: None, redis_away_now: Callable[[], None]
) -> None:
    shop = makers.shop("Lakeside Noodle House")
    redis_away_now()
    shop_changes.update(Shop.objects.filter(pk=shop.pk), name_en="Lakeside Rice House")
    assert IndexEntry.objects.get(kind="shops", object_id=shop.pk).is_waiting


@pytest.mark.both_databases
def test_facts_for_staff() -> None:
    makers.shop("Lakeside Noodle House")
    rebuilding.rebuild()
    (shops,) = (one for one in facts.read() if one.kind == "shops")
    assert (shops.documents, shops.waiting) == (1, 1)
    assert shops.memory_bytes > 500
    assert shops.terms > 5


def test_members_sort_like_their_numbers() -> None:
    numbers = [1, 9, 10, 99, 100, 2**31, 2**62]
    assert sorted(map(records.encode_member, numbers)) == list(map(records.encode_member, numbers))
    assert [records.decode_member(records.encode_member(number)) for number in numbers] == numbers
