"""Every list of the API is paged alike: `cursor` and `size` in, `items` and `next` out."""

from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.chat import chats, messages
from apps.coupons.webhooks import endpoints
from apps.search.index import rebuilding
from apps.web import paging
from tests.api_document import read_document
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.factories import CommentFactory, FollowFactory, ShopFactory, ShopMemberFactory, ShopTypeFactory

pytestmark = pytest.mark.django_db
DOCUMENT = read_document()
SCHEMAS = DOCUMENT["components"]["schemas"]
#: One page of names, which another letter changes; it takes a size.
WITHOUT_CURSOR = {"suggest"}
#: A list whose size is a `Size`, and one with a `SizeOrAll`.
BAD_SIZES_AT = {"/api/sign-ins/points", "/api/sign-ins/leaders"}
BAD_SIZES = ["0", "-1", "51", "x", "1e1", "1.0", "", "true", "1_0", "１", str(2**63), "9" * 400]


def read_answer(operation: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas that an operation's 200 may have."""
    schema = (
        operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
    )
    return [
        SCHEMAS[one["$ref"].rpartition("/")[2]] if "$ref" in one else one
        for one in schema.get("anyOf", [schema])
    ]


def find_lists() -> dict[str, dict[str, Any]]:
    """Path -> operation of all lists."""
    found = {path: methods["get"] for path, methods in DOCUMENT["paths"].items() if "get" in methods}
    return {
        path: operation
        for path, operation in found.items()
        if any("items" in schema.get("properties", schema) for schema in read_answer(operation))
    }


LISTS = find_lists()
PAGED = {path: one for path, one in LISTS.items() if one["operationId"] not in WITHOUT_CURSOR}
REQUIRED = {"/api/rankings": {"type": "food"}, "/api/search": {"kind": "shops"}}


@pytest.mark.parametrize("path", sorted(LISTS))
def test_a_list_takes_a_cursor_and_a_size_and_answers_items_and_next(path: str) -> None:
    operation = LISTS[path]
    names = {parameter["name"] for parameter in operation["parameters"]}
    assert names >= ({"size"} if operation["operationId"] in WITHOUT_CURSOR else {"cursor", "size"})
    assert {"items", "next"} <= read_answer(operation)[0]["properties"].keys()


def test_all_lists_are_there() -> None:
    assert len(LISTS) >= 40
    assert {"/api/feed", "/api/chats", "/api/shop-types", "/api/mailbox", "/api/orders"} <= set(LISTS)


@pytest.fixture
def world(manager: User, bob: User, settings: Settings) -> dict[str, int]:
    """The manager owns a shop with a webhook, has a note with a comment and a chat: ids for paths."""
    # Webhooks may go to this machine there.
    settings.DEMO = True
    shop = ShopFactory.create()
    ShopMemberFactory.create(shop=shop, user=manager, role="owner")
    note = notes.note(manager, shop=shop)
    comment = CommentFactory.create(note=note, author=bob)
    chat = chats.create_group(manager.pk, [bob.pk], "Lunch")
    rebuilding.rebuild()
    webhook = endpoints.register(shop, manager, url="http://127.0.0.1:9/hook", events=endpoints.EVENTS)
    return {
        "shop_id": shop.pk,
        "webhook_id": webhook.pk,
        "user_id": bob.pk,
        "note_id": note.pk,
        "comment_id": comment.pk,
        "chat_id": chat.pk,
    }


@pytest.fixture
def program(manager: User) -> Client:
    return buyers.api_client(manager)


def read(program: Client, path: str, world: dict[str, int], **query: str | int) -> Any:
    return program.get(path.format(**world), {**REQUIRED.get(path, {}), **query})


def test_a_cursor_that_is_none_is_refused(
    program: Client, world: dict[str, int], subtests: pytest.Subtests
) -> None:
    """Each list refuses another's, and one that is too long; tests/web/test_paging.py has all the others."""
    other = paging.encode(1)
    for path in sorted(PAGED):
        with subtests.test(path):
            for cursor in ("x", other):
                answer = read(program, path, world, cursor=cursor)
                assert (answer.status_code, answer.json()["code"]) == (422, "bad_cursor"), cursor
                assert [one["field"] for one in answer.json()["errors"]] == ["cursor"]
            huge = read(program, path, world, cursor="W" * 8_000)
            assert (huge.status_code, huge.json()["errors"][0]["field"]) == (422, "cursor")


def test_a_size_that_is_none_is_refused(
    program: Client, world: dict[str, int], subtests: pytest.Subtests
) -> None:
    """One list of each type of size refuses all of them, every other the next below and above."""
    for path in sorted(LISTS):
        required = {"q": "a"} if path == "/api/suggest" else {}
        with subtests.test(path):
            for size in BAD_SIZES if path in BAD_SIZES_AT else ("0", "51"):
                answer = read(program, path, world, size=size, **required)
                refused = (answer.status_code, answer.json()["errors"][0]["field"])
                assert refused == (422, "size"), size
            assert read(program, path, world, size=2, **required).status_code == 200


def walk(program: Client, path: str, size: int = 2, **query: str | int) -> list[list[Any]]:
    """The pages of a list, to its end."""
    pages, cursor = [], ""
    for _ in range(10):
        answer = program.get(path, {**query, "size": size, **({"cursor": cursor} if cursor else {})})
        assert "Deprecation" not in answer
        body = answer.json()
        pages.append(body["items"])
        cursor = body["next"]
        if cursor is None:
            return pages
    raise AssertionError("it does not end")


def test_the_feed_is_read_by_cursor(program: Client, manager: User, alice: User) -> None:
    FollowFactory.create(follower=manager, followee=alice)
    published = [notes.note(alice).pk for _ in range(5)]
    pages = walk(program, "/api/feed")
    assert [[item["id"] for item in page] for page in pages] == [
        [published[4], published[3]],
        [published[2], published[1]],
        [published[0]],
    ]


def test_the_feed_by_max_and_offset_says_that_it_is_deprecated(
    program: Client, manager: User, alice: User
) -> None:
    FollowFactory.create(follower=manager, followee=alice)
    for _ in range(3):
        notes.note(alice)
    first = program.get("/api/feed", {"size": 2})
    assert "Deprecation" not in first
    place = {name: first.json()[name] for name in ("max", "offset")}
    second = program.get("/api/feed", place)
    assert len(second.json()["items"]) == 1
    assert (second["Deprecation"], second["Link"]) == (
        "@1795651200",
        '</api/docs>; rel="deprecation"; type="text/html"',
    )
    both = program.get("/api/feed", place | {"cursor": first.json()["next"]})
    assert (both.status_code, [one["field"] for one in both.json()["errors"]]) == (422, ["max", "offset"])


def test_messages_are_read_in_both_directions(program: Client, manager: User, bob: User) -> None:
    chat = chats.create_group(manager.pk, [bob.pk], "Lunch")
    for number in range(5):
        messages.post(bob.pk, chat.pk, str(number), client_id=str(number))
    path = f"/api/chats/{chat.pk}/messages"
    (*_, older) = pages = walk(program, path)
    texts = [message["text"] for page in pages[::-1] for message in page if message["kind"] == "text"]
    assert texts == list("01234")
    assert older[0]["number"] == 1
    first = program.get(path, {"size": 50}).json()["items"]
    start = next(message["number"] for message in first if message["text"] == "0")
    newer = walk(program, path, after=start)
    assert [[message["text"] for message in page] for page in newer] == [["1", "2"], ["3", "4"]]
    last = first[-1]["number"]
    by_number = program.get(path, {"before": last})
    assert by_number["Deprecation"] == "@1795651200"
    assert by_number.json()["items"] == first[:-1]
    both = program.get(path, {"before": last, "cursor": "x"})
    assert (both.status_code, both.json()["errors"][0]["field"]) == (422, "before")
    other = program.get(path, {"cursor": program.get(path, {"size": 1}).json()["next"], "after": 0})
    assert (other.status_code, other.json()["code"]) == (422, "bad_cursor")


def test_shop_types_are_a_list_like_others_for_who_asks_so(client: Client) -> None:
    ShopTypeFactory.create_batch(3)
    old = client.get("/api/shop-types")
    assert old["Deprecation"] == "@1795651200"
    assert [kind for page in walk(client, "/api/shop-types") for kind in page] == old.json()
    whole = client.get("/api/shop-types", {"size": 50})
    assert (whole.json(), "Deprecation" in whole) == ({"items": old.json(), "next": None}, False)


def test_a_list_of_few_rows_comes_whole_or_in_pages(program: Client, manager: User) -> None:
    for name in "abcde":
        assert program.post("/api/lists", {"name": name}, "application/json").status_code == 201
    whole = program.get("/api/lists").json()
    assert (len(whole["items"]), whole["next"]) == (5, None)
    assert walk(program, "/api/lists") == [whole["items"][:2], whole["items"][2:4], whole["items"][4:]]


def test_what_is_deprecated_is_marked_in_the_document() -> None:
    marked = {
        (operation["operationId"], parameter["name"])
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
        if parameter.get("deprecated")
    }
    assert marked == {
        ("getFeed", "max"),
        ("getFeed", "offset"),
        ("listMessages", "before"),
        ("suggest", "limit"),
    }
    assert SCHEMAS["FeedOut"]["properties"]["max"]["deprecated"] is True
    assert "use `cursor`" in SCHEMAS["MessagesOut"]["properties"]["before"]["description"]
