from collections.abc import Callable

import pytest
import redis

from apps.accounts.models import User
from apps.accounts.relations import blocks, contacts
from apps.follows import graph
from apps.redis_kit import client
from apps.redis_kit.autocomplete.name_index import Name, NameIndex
from apps.redis_kit.findings import Finding
from apps.search import keys, tasks
from apps.search.suggest import finding, indexing, words
from apps.shops import changes
from apps.shops.models import Shop
from tests.factories import UserFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)


def rebuild() -> None:
    indexing.rebuild(lambda _done, _total: None)


def names(typed: str, kind: str, viewer: User | None = None) -> list[str]:
    return [
        line.name for line in finding.find_suggestions(typed, kind, viewer_id=viewer.pk if viewer else None)
    ]


@pytest.mark.parametrize(
    "typed",
    [
        "hdl",
        "haidi",
        "hai di lao",
        "HaiDiLao",
        "海底",
        "底捞",
        "海低捞",
        "huo guo",
        "hotpot",
        "hotptot",
        "otpot",
    ],
)
def test_a_chinese_shop_is_found_as_people_type_it(typed: str) -> None:
    makers.shop("Haidilao Hotpot", name_zh="海底捞火锅")
    makers.shop("Green Tea", name_zh="绿茶")
    rebuild()
    assert names(typed, "shops") == ["Haidilao Hotpot"]


@pytest.mark.parametrize("typed", ["7eleven", "7-eleven", "7 eleven", "7-e", "７－Ｅｌｅｖｅｎ", "eleven"])
def test_a_name_is_found_without_its_signs(typed: str) -> None:
    makers.shop("7-Eleven")
    makers.shop("Green Tea")
    rebuild()
    assert names(typed, "shops") == ["7-Eleven"]


@pytest.mark.parametrize(
    "typed",
    ["lünüxia", "lǜnǚ", "lvnvxia", "lunuxia", "lvnuxia", "lyunyuxia", "lü nü xia", "绿女侠", "nüxia", "lnx"],
)
def test_an_umlaut_of_pinyin_is_found_as_people_type_it(typed: str) -> None:
    UserFactory.create(nickname="绿女侠")
    UserFactory.create(nickname="路人")
    rebuild()
    assert names(typed, "people") == ["绿女侠"]


def test_exact_prefix_contains_and_the_popular_first() -> None:
    for name, popularity in (("Noodle", 1), ("Noodle Bar", 5), ("Noodle House", 700), ("Best Noodle", 9_000)):
        makers.shop(name, popularity=popularity)
    rebuild()
    assert names("noodle", "shops") == ["Noodle", "Noodle House", "Noodle Bar", "Best Noodle"]


def test_a_name_as_written_comes_before_one_as_read() -> None:
    makers.shop("", name_zh="海底捞", popularity=9_000)
    makers.shop("HDL", popularity=1)
    rebuild()
    assert names("hdl", "shops") == ["HDL", "海底捞"]


@pytest.mark.both_databases
def test_names_follow_the_rows(alice: User) -> None:
    shop = makers.shop("Lakeside")
    rebuild()
    shop.name_en = "Riverside"
    changes.save(shop)
    indexing.record_change("shops", [shop.pk])
    assert (names("lakeside", "shops"), names("river", "shops")) == ([], ["Riverside"])
    changes.update(Shop.objects.all(), is_listed=False)
    assert names("river", "shops") == []
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert names("alice", "people") == []
    indexing.record_change("people", [alice.pk])
    assert not client.get().exists(*indexing.index_for("people").bands)


@pytest.mark.parametrize("take_out", [indexing.refresh, indexing.rebuild])
def test_what_is_no_row_any_more_is_taken_out(alice: User, bob: User, take_out: Callable[[], object]) -> None:
    rebuild()
    bob.delete()
    take_out()
    bands = indexing.index_for("people").bands
    assert [client.get().zcard(band) for band in bands] == [0, 0, 0, 1]
    assert names("bob", "people") == []


def test_the_night_mends_whatever_became_of_the_lists(alice: User, bob: User) -> None:
    rebuild()
    *_, band = indexing.index_for("people").bands
    client.get().delete(keys.SUGGEST_VOCABULARY(kind="people"))
    client.get().zrem(band, f"0alice\0{alice.pk}")
    client.get().zadd(band, {f"0bob\0{alice.pk}": 0})
    indexing.refresh()
    assert (names("alice", "people"), len(list(indexing.compare_counts(fix=False)))) == ([], 0)
    tasks.rebuild()
    assert names("alice", "people") == names("lice", "people") == ["Alice"]
    assert client.get().zcard(band) == 2


def test_a_change_during_a_rebuild_is_in_both_indexes(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    rebuild()
    put = NameIndex.put
    seen: list[list[str]] = []

    def rename_meanwhile(index: NameIndex, reading: int, batch: list[Name]) -> None:
        put(index, reading, batch)
        if not seen and index == indexing.next_index_for("people"):
            seen.append(names("ali", "people"))
            User.objects.filter(pk=alice.pk).update(nickname="Wendy")
            indexing.update("people", [alice.pk])
            seen.append(names("wen", "people"))
            # The batch was read before the change, and is late.
            put(index, reading, batch)

    monkeypatch.setattr(NameIndex, "put", rename_meanwhile)
    rebuild()
    assert (seen, names("wen", "people"), names("ali", "people")) == ([["Alice"], ["Wendy"]], ["Wendy"], [])


def test_an_index_that_lacks_names_says_how_many(alice: User, bob: User) -> None:
    rebuild()
    client.get().hdel(keys.SUGGEST_RECORDS(kind="people"), str(bob.pk))
    lacking = Finding("people", "names", str(User.objects.count() - 1), str(User.objects.count()))
    assert list(indexing.compare_counts(fix=True)) == [lacking]
    assert list(indexing.compare_counts(fix=True)) == []


def test_a_lost_redis_is_rebuilt_once(alice: User, guarded_redis: redis.Redis) -> None:
    assert indexing.rebuild_if_incomplete()
    assert not indexing.rebuild_if_incomplete()
    guarded_redis.flushall()
    assert names("ali", "people") == ["Alice"]
    makers.shop()
    indexing.rebuild_names(only_if_incomplete=True)
    assert guarded_redis.hget(keys.SUGGEST_RECORDS(kind="people"), "complete") == "1"
    assert names("west", "words") == ["West Lake"]


@pytest.mark.both_databases
def test_without_redis_sql_answers(alice: User, redis_away: None) -> None:
    assert names("lic", "people") == ["Alice"]
    assert names("lic", "") == ["Alice"]
    assert names("lic", "words") == []
    indexing.update_names("people", [alice.pk])


def test_contacts_come_first_then_follows_then_everybody(alice: User, bob: User, charlie: User) -> None:
    dora = UserFactory.create(nickname="Bobby")
    erin = UserFactory.create(nickname="Bob the third")
    rebuild()
    contacts.touch(alice.pk, erin.pk)
    contacts.touch(alice.pk, charlie.pk)
    graph.follow(alice.pk, dora.pk)
    assert names("", "contacts", alice) == ["Charlie", "Bob the third", "Bobby"]
    assert names("bo", "contacts", alice) == ["Bob the third", "Bobby", "Bob"]
    assert names("ali", "contacts", alice) == []
    assert names("third", "contacts", alice) == ["Bob the third"]


def test_a_block_hides_both_from_each_other(alice: User, bob: User) -> None:
    rebuild()
    contacts.touch(alice.pk, bob.pk)
    blocks.block(bob.pk, alice.pk)
    assert [names("bob", kind, alice) for kind in ("people", "contacts", "")] == [[], [], []]
    assert names("alice", "people", bob) == []
    assert names("bob", "people") == ["Bob"]


def test_words_are_types_places_and_what_names_share() -> None:
    for number in range(3):
        makers.shop(f"Noodle {number}", name_zh=f"三楼{number}火锅", popularity=number)
    words.rebuild(lambda _done, _total: None)
    assert names("noo", "words") == ["noodle"]
    assert names("huog", "words") == names("hg", "words") == names("火", "words") == ["火锅"]
    assert names("west", "words") == ["West Lake"]
    assert names("food", "words") == ["Food"]
    assert 0 < client.get().ttl(keys.SUGGEST_WORDS()) <= words.TTL.total_seconds()


def test_the_search_box_gets_words_shops_and_people(alice: User) -> None:
    makers.shop("Alice's Table")
    words.rebuild(lambda _done, _total: None)
    rebuild()
    found = [(line.kind, line.name) for line in finding.find_suggestions("ali")]
    assert found == [("shops", "Alice's Table"), ("people", "Alice")]
    assert finding.find_suggestions("  ") == []


def test_a_list_costs_one_query_and_one_trip(
    round_trips: list[object], django_assert_num_queries: object
) -> None:
    makers.shops(40)
    rebuild()
    finding.find_suggestions("shop", "shops")
    round_trips.clear()
    with django_assert_num_queries(1):  # type: ignore[operator]
        finding.find_suggestions("shop", "shops", limit=20)
    assert len(round_trips) == 1
