"""Searching: what a person types, and the page that answers."""

from datetime import UTC, datetime, timedelta
from itertools import product
from unittest.mock import Mock

import pytest
import redis
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.blog.writing import notes
from apps.redis_kit import client
from apps.search import keys
from apps.search.index import draining, rebuilding
from apps.search.query import filtering, list_walks, ordering
from apps.search.query.search import SearchPage, SearchRequest, search
from apps.shops import changes as shop_changes
from apps.shops.models import Shop
from tests.blog import makers
from tests.search import corpora

pytestmark = pytest.mark.django_db

SIGNS = [
    "🍜",
    "🩷",
    "!!!",
    "“”",
    "—",
    "♥ ☕️",
    "$€¥",
    "（）",
    "\u200b\u3164",
    "🍜🍜 🍜",
    '"',
    '""',
    "-",
    "+ -",
    "。，",
    "…",
]


@pytest.fixture
def city() -> dict[str, Shop]:
    """Four shops of Hangzhou in an index."""
    made = {
        "noodles": makers.shop("Lakeside Noodle House", name_zh="湖畔面馆", rating=45, price=3_000),
        "hotpot": makers.shop("Third Floor Hot Pot", name_zh="三楼火锅", rating=49, price=12_000),
        "third": makers.shop("Third Wave Coffee", name_zh="第三波咖啡", rating=40, price=4_000),
        "cafe": makers.shop("Café Noodle", name_zh="面条咖啡", rating=42, price=8_000),
    }
    rebuilding.rebuild()
    return made


def find(text: str, **wanted: object) -> SearchPage:
    return search(SearchRequest(text=text, **{"kind": "shops"} | wanted))  # type: ignore[arg-type]


def names(page: SearchPage) -> list[str]:
    return [hit.thing.name_en for hit in page.hits]


def test_words_are_found_anywhere_in_a_name_in_both_languages(city: dict[str, Shop]) -> None:
    assert set(names(find("noodle"))) == {"Lakeside Noodle House", "Café Noodle"}
    assert names(find("三楼")) == ["Third Floor Hot Pot"]
    assert names(find("三樓火鍋")) == ["Third Floor Hot Pot"]
    assert names(find("cafe")) == ["Café Noodle"]


def test_the_last_word_may_be_a_beginning(city: dict[str, Shop]) -> None:
    assert set(names(find("nood"))) == {"Lakeside Noodle House", "Café Noodle"}
    assert find("nood", is_prefix=False).total == 0


def test_one_wrong_letter_is_repaired_unless_the_reader_insists(city: dict[str, Shop]) -> None:
    page = find("nodle house")
    assert names(page) == ["Lakeside Noodle House"]
    assert page.corrected == "noodle house"
    assert find("nodle", exact=True).total == 0


def test_two_words_are_found_that_were_typed_as_one(city: dict[str, Shop]) -> None:
    page = find("third hotpot")
    assert names(page) == ["Third Floor Hot Pot"]
    assert page.corrected == ""
    assert (find("hotpot", exact=True).total, find("hotpot", exact=True).corrected) == (0, "")
    # Both words are known, and no shop has them side by side.
    assert (find("potcoffee").total, find("potcoffee").corrected) == (0, "")
    assert (find("thirdpot").total, find("thirdpot").corrected) == (0, "")


def test_without_a_common_hit_the_commonest_word_is_dropped(city: dict[str, Shop]) -> None:
    page = find("hot noodle pot")
    assert names(page) == ["Third Floor Hot Pot"]
    assert page.dropped == ["noodle"]
    assert find("third coffee").dropped == []


def test_signs_and_phrases(city: dict[str, Shop]) -> None:
    assert names(find("third -coffee")) == ["Third Floor Hot Pot"]
    assert set(names(find("coffee +noodle"))) == {"Lakeside Noodle House", "Café Noodle", "Third Wave Coffee"}
    assert names(find('"noodle house"')) == ["Lakeside Noodle House"]
    assert names(find('"house noodle"')) == []


@pytest.mark.both_databases
@pytest.mark.parametrize("kept", [list_walks.MAX_KEPT, 2])
def test_open_now_counts_and_stays_with_the_next_opening(
    city: dict[str, Shop], monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """Of all shops the number is exact, also of more than a search keeps."""
    monkeypatch.setattr(list_walks, "MAX_KEPT", kept)
    for name, hours in {
        "noodles": "Mo-Sa 10:30-22:00",
        "third": "Tu 00:00-24:00",
        "cafe": "周日看心情",
    }.items():
        city[name].hours_en = hours
        shop_changes.save(city[name])
    # Monday and Sunday at noon, and Sunday after the last has closed.
    for at, open_shops in {
        "2026-11-30T04:00": {"Lakeside Noodle House", "Third Floor Hot Pot"},
        "2026-11-29T04:00": {"Third Floor Hot Pot"},
        "2026-11-29T15:00": set[str](),
    }.items():
        with time_machine.travel(datetime.fromisoformat(at).replace(tzinfo=UTC), tick=False):
            page, chosen = find(""), find("", open_now=True)
            (toggle,) = page.facets["open_now"]
            assert (set(names(chosen)), toggle.number) == (open_shops, len(open_shops))
            assert toggle.label == ("1" if open_shops else "the next opens Mon 10:30")
            assert [one.is_chosen for one in chosen.facets["open_now"]] == [True]
    assert "open_now" not in find("", kind="notes").facets


def test_what_is_open_in_the_next_minute_is_stored_while_searches_ask(city: dict[str, Shop]) -> None:
    """The hours of all shops are read by no search then, but the first of all."""
    noon = datetime(2026, 11, 30, 4, tzinfo=UTC)
    queries = []
    for minutes in range(4):
        with time_machine.travel(noon + timedelta(minutes=minutes, seconds=20), tick=False):
            for _ in range(2 if minutes < 2 else 0):
                with CaptureQueriesContext(connection) as sent:
                    assert find("").facets["open_now"][0].number == 4
                queries.append(sum("openspan" in one["sql"] for one in sent))
            filtering.prepare_open()
            following = keys.OPEN(kind="shops", minute=int(noon.timestamp()) // 60 + minutes + 1)
            assert client.get().exists(following) == (minutes < 2)
    assert queries == [1, 0, 0, 0]


def test_who_dies_while_open_shops_are_stored_leaves_nothing_for_long(
    city: dict[str, Shop], monkeypatch: pytest.MonkeyPatch
) -> None:
    noon = datetime(2026, 11, 30, 4, tzinfo=UTC)
    with monkeypatch.context() as dying:
        dying.setattr(redis.Redis, "rename", Mock(side_effect=SystemExit))
        with pytest.raises(SystemExit):
            filtering._store_open("shops", noon)
    (left,) = client.get().scan_iter(keys.OPEN_TO_BE(kind="shops", token="*"))
    assert 0 < client.get().ttl(left) <= filtering.OPEN_SECONDS
    assert filtering._store_open("shops", noon) == 4


def test_orders_and_facets(city: dict[str, Shop]) -> None:
    by_rating = find("", order="rating")
    assert names(by_rating)[0] == "Third Floor Hot Pot"
    assert names(find("", order="price"))[0] == "Lakeside Noodle House"
    prices = {one.value: one.number for one in by_rating.facets["price"]}
    assert prices == {"1": 2, "2": 1, "3": 1}
    assert names(find("", filters={"price": ["3"]})) == ["Third Floor Hot Pot"]
    chosen = find("", filters={"price": ["3"]}).facets["price"]
    assert {one.value: one.number for one in chosen} == prices


def test_bands_of_price_stand_in_their_order_however_many_they_hold(city: dict[str, Shop]) -> None:
    makers.shop("Fourth Floor Hot Pot", price=12_000)
    rebuilding.rebuild()
    assert [(one.value, one.number) for one in find("").facets["price"]] == [("1", 2), ("2", 1), ("3", 2)]


def test_distance_and_its_filter(city: dict[str, Shop]) -> None:
    shop = city["hotpot"]
    shop.lat += 0.1
    shop_changes.save(shop)
    draining.index_waiting()
    page = find("", near=(shop.lat, shop.lng), order="distance")
    assert names(page)[0] == "Third Floor Hot Pot"
    assert page.hits[0].distance_m == 0
    assert {one.value: one.number for one in page.facets["within_km"]}["10"] == 1
    assert find("", near=(shop.lat, shop.lng), within_km=5).total == 1


def test_a_cursor_repeats_and_drops_nothing_while_the_index_changes(city: dict[str, Shop]) -> None:
    first = find("", order="rating", size=2)
    assert first.next
    makers.shop("Newest of all", rating=50)
    rebuilding.rebuild()
    second = find("", order="rating", size=2, cursor=first.next)
    assert names(first) + names(second) == [
        "Third Floor Hot Pot", "Lakeside Noodle House", "Café Noodle", "Third Wave Coffee",
    ]  # fmt: skip
    assert second.next is None


def test_unlisted_shops_and_hidden_notes_are_neither_found_nor_counted(
    city: dict[str, Shop], alice: User
) -> None:
    note = makers.note(alice, title="Noodles by the lake", shop=city["noodles"])
    draft = makers.note(alice, title="Noodles unfinished", shop=city["noodles"], status="draft")
    rebuilding.rebuild()
    assert [hit.id for hit in find("noodles", kind="notes").hits] == [note.pk]
    assert draft.pk != note.pk
    notes.hide(note)
    shop_changes.update(Shop.objects.filter(pk=city["cafe"].pk), is_listed=False)
    draining.index_waiting()
    assert find("noodles", kind="notes").total == 0
    page = find("noodle")
    assert names(page) == ["Lakeside Noodle House"]
    assert page.total == 1
    assert page.kinds["notes"] == 0


def test_blocked_people_and_their_notes_are_left_out(city: dict[str, Shop], alice: User, bob: User) -> None:
    makers.note(bob, title="Noodles by the lake", shop=city["noodles"])
    rebuilding.rebuild()
    assert find("noodles", kind="notes", viewer_id=alice.pk).total == 1
    blocks.block(alice.pk, bob.pk)
    page = find("noodles", kind="notes", viewer_id=alice.pk)
    assert (page.total, page.hits) == (0, [])
    assert find("bob", kind="people", viewer_id=alice.pk).total == 0
    assert find("bob", kind="people").total == 1


def test_a_block_counts_on_the_next_page_too(city: dict[str, Shop], alice: User, bob: User) -> None:
    for title in ("Noodles by the lake", "More noodles"):
        makers.note(bob, title=title, shop=city["noodles"])
    rebuilding.rebuild()
    first = find("noodles", kind="notes", viewer_id=alice.pk, size=1)
    assert (len(first.hits), first.next is not None) == (1, True)
    blocks.block(alice.pk, bob.pk)
    assert find("noodles", kind="notes", viewer_id=alice.pk, size=1, cursor=first.next).hits == []


@pytest.mark.parametrize(("text", "kind"), [*product(SIGNS, ["notes"]), ("🍜", "shops"), ("🍜", "")])
def test_signs_alone_are_nothing_to_search_for(client: Client, text: str, kind: str) -> None:
    makers.shop("Lakeside Noodle House")
    rebuilding.rebuild()
    for language, beginning in (("en", "Signs and pictures alone"), ("zh-hans", "只有符号")):
        found = client.get(
            "/api/search", {"q": text, "kind": kind}, headers={"accept-language": language}
        ).json()
        assert (found["total"], found["items"], set(found["kinds"].values())) == (0, [], {0})
        assert found["notice"].startswith(beginning), found["notice"]
        page = client.get("/search/", {"q": text, "kind": kind}, headers={"accept-language": language})
        assert found["notice"] in page.content.decode()
    assert client.get("/api/search", {"q": f"{text} noodle", "kind": "shops"}).json()["notice"] == ""


def test_what_is_past_the_last_page_is_said(client: Client) -> None:
    count = ordering.MAX_RANKED + 5
    with corpora.indexed({number: f"noodle {number}" for number in range(1, count + 1)}):
        found = client.get("/api/search", {"q": "noodle", "kind": corpora.NAME, "size": "50"}).json()
        assert (found["total"], found["reachable"]) == (count, ordering.MAX_RANKED)
        assert found["notice"].startswith("You can see the first 1,000 of 1,005 results.")
        seen = list(found["items"])
        while found["next"]:
            wanted = {
                "q": "noodle",
                "kind": corpora.NAME,
                "size": "50",
                "cursor": found["next"],
            }
            found = client.get("/api/search", wanted).json()
            seen += found["items"]
        assert (len(seen), found["reachable"]) == (ordering.MAX_RANKED, ordering.MAX_RANKED)
        page = client.get("/search/", {"q": "noodle", "kind": corpora.NAME}).content.decode()
        assert "You can see the first 1,000 of 1,005 results." in page
        page = client.get("/search/", {"q": "noodle 77", "kind": corpora.NAME}).content.decode()
        assert "You can see the first" not in page
