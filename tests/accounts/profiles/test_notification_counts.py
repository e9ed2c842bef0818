import pytest
from django.test import Client
from redis import Redis

from apps.accounts import keys
from apps.accounts.models import User
from apps.accounts.profiles import notification_counts
from apps.accounts.profiles.notification_counts import Kind
from tests import races
from tests.accounts.conftest import issue_cached_token


@pytest.fixture
def me(client: Client, alice: User) -> Client:
    client.cookies["savor_token"] = issue_cached_token(alice)
    return client


def test_news_are_counted_by_kind(alice: User, bob: User) -> None:
    for kind in (Kind.LIKE, Kind.LIKE, Kind.FOLLOWER):
        notification_counts.add(alice.pk, kind)
    assert notification_counts.read_unread(alice.pk) == {Kind.LIKE: 2, Kind.FOLLOWER: 1}
    assert notification_counts.read_unread(bob.pk) == {}


def test_looking_puts_the_dot_out(me: Client, alice: User) -> None:
    assert "news-dot" not in me.get("/me/news/dot/").content.decode()
    notification_counts.add(alice.pk, Kind.COMMENT)
    assert "1 new" in me.get("/me/news/dot/").content.decode()
    assert "1 new comment" in me.get("/me/news/").content.decode()
    assert me.get("/me/news/dot/").content.strip() == b""
    assert "Nothing new" in me.get("/me/news/").content.decode()


def test_my_page_says_how_many(me: Client, alice: User) -> None:
    notification_counts.add(alice.pk, Kind.LIKE)
    assert '<span class="badge badge--brand nums">1</span>' in me.get("/me/").content.decode()


def test_the_dot_sends_nobody_to_the_log_in(client: Client, db: None) -> None:
    answer = client.get("/me/news/dot/")
    assert (answer.status_code, answer.content.strip()) == (200, b"")


def test_nothing_told_while_somebody_looks_is_lost(alice: User, guarded_redis: Redis) -> None:
    def act(turn: int) -> int:
        if turn % 2:
            return sum(notification_counts.take_unread(alice.pk).values())
        notification_counts.add(alice.pk, Kind.LIKE)
        return 0

    seen = races.race(60, act)
    assert (
        sum(int(str(part)) for part in seen) + sum(notification_counts.read_unread(alice.pk).values()) == 30
    )


def test_news_are_kept_for_90_days(alice: User, guarded_redis: Redis) -> None:
    notification_counts.add(alice.pk, Kind.LIKE)
    left = guarded_redis.ttl(keys.NOTIFICATION_COUNTS(user=alice.pk))
    assert isinstance(left, int)
    assert 0 < left <= notification_counts.RETENTION.total_seconds()


def test_without_redis_there_is_no_dot_and_no_failure(me: Client, alice: User, redis_away: None) -> None:
    notification_counts.add(alice.pk, Kind.LIKE)
    notification_counts.mark_read(alice.pk)
    assert me.get("/me/news/dot/").status_code == 200
    assert "Nothing new" in me.get("/me/news/").content.decode()


def test_the_api_tells_and_clears(client: Client, alice: User) -> None:
    headers = {"authorization": f"Bearer {issue_cached_token(alice)}"}
    notification_counts.add(alice.pk, Kind.FOLLOWER)
    for _ in range(2):
        answer = client.get("/api/me/news", headers=headers)
        assert answer.json() == {"total": 1, "like": 0, "comment": 0, "follower": 1, "sale": 0}
    assert client.delete("/api/me/news", headers=headers).status_code == 204
    assert client.get("/api/me/news", headers=headers).json()["total"] == 0
    assert client.get("/api/me/news").status_code == 401


def test_every_page_of_mine_leads_to_the_others(me: Client, alice: User) -> None:
    page = me.get("/me/").content.decode()
    of_mine = (f"/people/{alice.pk}/", f"/people/{alice.pk}/likes/", "/me/notes/", "/people/")
    for path in ("/me/edit/", "/me/news/", "/orders/", "/me/sessions/", *of_mine):
        assert f'href="{path}"' in page
    assert me.post("/me/", {"nickname": "Bob"}).status_code == 405
