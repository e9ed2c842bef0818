"""The list of notifications, its API, what opening one does, and the preferences."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.blog import comments, likes
from apps.follows import graph
from apps.mailbox import copies, notifications
from apps.mailbox.models import Notification, Preferences
from apps.mailbox.notices import Delivery, Kind, Notice
from apps.redis_kit import client as redis_client
from tests.blog import makers
from tests.coupons import buyers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice_client(alice: User) -> Client:
    return buyers.browser_client(alice)


def tell(person: User, many: int, kind: Kind = Kind.SALE) -> None:
    for number in range(1, many + 1):
        notifications.notify(Notice(person.pk, kind, target_kind="nothing", target_id=number))


def html(client: Client, path: str = "/notifications/") -> str:
    return " ".join(client.get(path).content.decode().split())


@pytest.mark.both_databases
def test_a_person_reads_who_did_what(alice_client: Client, alice: User, bob: User, charlie: User) -> None:
    note = makers.note(alice)
    for person in (bob, charlie):
        likes.like(note.pk, person.pk)
    comments.add(note.pk, bob, "Is it <loud>?")
    graph.follow(charlie.pk, alice.pk)
    page = html(alice_client)
    assert "<b >Charlie</b> and <b >Bob</b> liked <b >Broth that forgives</b>" in page
    assert "<b >Bob</b> commented on <b >Broth that forgives</b>" in page
    assert "Is it &lt;loud&gt;?" in page
    assert "<b >Charlie</b> started following you" in page


@pytest.mark.both_databases
def test_opening_one_reads_it_and_leads_to_the_note(alice_client: Client, alice: User, bob: User) -> None:
    note = makers.note(alice)
    likes.like(note.pk, bob.pk)
    graph.follow(bob.pk, alice.pk)
    found = Notification.objects.get(kind=Kind.LIKE)
    assert copies.count_unread(alice.pk) == 2
    assert alice_client.get(f"/notifications/{found.pk}/").headers["Location"] == f"/notes/{note.pk}/"
    assert copies.count_unread(alice.pk) == 1
    likes.unlike(note.pk, bob.pk)
    assert alice_client.get(f"/notifications/{found.pk}/").headers["Location"] == "/notifications/"


def test_nobody_opens_or_reads_what_is_others(alice: User, bob: User) -> None:
    tell(alice, 1)
    found = Notification.objects.get()
    stranger = buyers.browser_client(bob)
    assert stranger.get(f"/notifications/{found.pk}/").headers["Location"] == "/notifications/"
    body = {"ids": [str(found.pk)]}
    api = buyers.api_client(bob)
    assert api.post("/api/mailbox/read", body, content_type="application/json").status_code == 204
    assert copies.count_unread(alice.pk) == 1


@pytest.mark.both_databases
def test_the_api_pages_without_gap_and_marks_as_read(alice: User) -> None:
    tell(alice, 125)
    api, seen = buyers.api_client(alice), list[str]()
    cursor: str | None = ""
    while cursor is not None:
        answer = api.get("/api/mailbox", {"cursor": cursor}).json()
        seen += [item["id"] for item in answer["items"]]
        cursor = answer["next"]
    newest_first = [str(pk) for pk in Notification.objects.order_by("-pk").values_list("pk", flat=True)]
    assert (seen, answer["unread"]) == (newest_first, 125)
    for body, left in (({"ids": seen[:2]}, 123), ({"all": True}, 0)):
        assert api.post("/api/mailbox/read", body, content_type="application/json").status_code == 204
        assert api.get("/api/mailbox").json()["unread"] == left


@pytest.mark.parametrize(
    "body", [{"ids": ["b"]}, {"ids": [7]}, {"ids": ["9" * 19]}, {"ids": ["1"] * 101}, []]
)
def test_odd_ids_are_refused(alice: User, body: object) -> None:
    answer = buyers.api_client(alice).post("/api/mailbox/read", body, content_type="application/json")
    assert answer.status_code == 422
    assert Client().get("/api/mailbox").status_code == 401
    assert buyers.api_client(alice).get("/api/mailbox?cursor=forged").status_code == 422


def test_twenty_lines_cost_as_many_queries_as_ten(
    alice_client: Client, alice: User, bob: User, round_trips: list[object]
) -> None:
    costs = []
    for many in (10, 10):
        for _ in range(many):
            likes.like(makers.note(alice).pk, bob.pk)
        alice_client.get("/notifications/")
        del round_trips[:]
        with CaptureQueriesContext(connection) as queries:
            alice_client.get("/notifications/")
        costs.append((len(queries), len(round_trips)))
    assert costs[0] == costs[1]


@pytest.mark.both_databases
def test_filters_show_their_kinds(alice_client: Client, alice: User, bob: User) -> None:
    tell(alice, 1, Kind.REFUND)
    graph.follow(bob.pk, alice.pk)
    assert "started following" not in html(alice_client, "/notifications/?show=orders")
    assert "on its way back" in html(alice_client, "/notifications/?show=orders")
    alice_client.post("/notifications/read/")
    assert "Nothing here" in html(alice_client, "/notifications/?show=unread")
    assert "started following" in html(alice_client, "/notifications/?show=nonsense")


def test_visitors_log_in_first(client: Client) -> None:
    for path in ("/notifications/", "/notifications/7/", "/notifications/site/7/"):
        assert "/login/" in client.get(path).headers["Location"]


def test_a_person_chooses_what_comes_and_when_it_is_quiet(
    alice_client: Client, alice: User, bob: User
) -> None:
    sent: dict[str, Any] = {kind.value: "site" for kind in Kind} | {"like": "off"}
    sent |= {"is_quiet": "on", "quiet_from": 22, "quiet_until": 7}
    assert alice_client.post("/notifications/preferences/", sent).status_code == 302
    assert alice_client.post("/notifications/preferences/", sent | {"like": "loud"}).status_code == 422
    same_hour = alice_client.post("/notifications/preferences/", sent | {"quiet_until": 22})
    assert "Choose two different hours." in same_hour.text
    chosen = Preferences.objects.of_people([alice.pk])[alice.pk]
    assert (chosen.delivery(Kind.LIKE), chosen.quiet_from, chosen.quiet_until) == ("off", 22, 7)
    page = html(alice_client, "/notifications/preferences/")
    assert all(page.count(f'name="{kind.value}"') == len(Delivery) for kind in Kind)
    del sent["is_quiet"]
    alice_client.post("/notifications/preferences/", sent)
    chosen = Preferences.objects.of_people([alice.pk])[alice.pk]
    assert chosen.end_of_quiet_hours(timezone.now()) is None
    page = html(alice_client, "/notifications/preferences/")
    assert '<option value="22" selected>' in page


@pytest.mark.both_databases
def test_a_lost_redis_is_filled_again(alice_client: Client, alice: User) -> None:
    tell(alice, 3)
    before = html(alice_client)
    assert copies.count_unread(alice.pk) == 3
    redis_client.get().flushall()
    assert (copies.count_unread(alice.pk), html(alice_client)) == (3, before)
    redis_client.get().flushall()
    assert copies.HEADS.rebuild(lambda _done, _total: None) == 1
    assert copies.HEADS.read_copies([alice.pk])[alice.pk].unread_rows == 3


@pytest.mark.usefixtures("redis_away")
def test_without_redis_everything_works(alice_client: Client, alice: User, bob: User) -> None:
    graph.follow(bob.pk, alice.pk)
    assert "started following you" in html(alice_client)
    assert copies.count_unread(alice.pk) == 1
    alice_client.post("/notifications/read/")
    assert copies.count_unread(alice.pk) == 0


@pytest.mark.both_databases
def test_what_is_older_than_ninety_days_goes(alice: User) -> None:
    tell(alice, 2)
    old = Notification.objects.order_by("pk")[0]
    Notification.objects.filter(pk=old.pk).update(latest_at=timezone.now() - timedelta(days=91))
    assert notifications.delete_expired() == 1
    assert copies.count_unread(alice.pk) == 1
