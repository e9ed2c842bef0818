"""What somebody looked at lately, before and after the log-in."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client, RequestFactory

from apps.accounts.models import User
from apps.redis_kit import client as redis_client
from apps.uv import counting, keys, recent, visitors
from apps.uv.page_kinds import Scope
from tests.accounts import sms_recorder
from tests.accounts.conftest import post_office
from tests.shops import makers
from tests.uv.browsing import new_browser

__all__ = ["post_office"]

pytestmark = pytest.mark.django_db
COOKIE = visitors.new_value()
NOON = datetime(2026, 11, 21, 4, tzinfo=UTC)


def look(object_id: int, *, user_id: int | None = None, cookie: str = COOKIE, at: datetime = NOON) -> None:
    with time_machine.travel(at, tick=False):
        counting.count(counting.View(Scope("shop", object_id), visitors.digest(cookie), user_id))


def seen(owner: str) -> list[int]:
    return [one.object_id for one in recent.newest(owner)]


def test_the_newest_25_are_kept_newest_first() -> None:
    for number in range(1, 31):
        look(number, user_id=7, at=NOON + timedelta(seconds=number))
    assert seen("u7") == list(range(30, 5, -1))
    assert redis_client.get().zcard(keys.RECENT(who="u7")) == 25


def test_a_second_look_moves_to_the_front() -> None:
    for second, object_id in enumerate((1, 2, 1)):
        look(object_id, user_id=7, at=NOON + timedelta(seconds=second))
    assert seen("u7") == [1, 2]
    newest = recent.newest("u7")[0]
    assert newest == recent.RecentObject("shop", 1, (NOON + timedelta(seconds=2)).timestamp())


def test_a_page_view_is_kept_for_the_person_or_else_the_browser(alice: User) -> None:
    shop = makers.shop()
    stranger = new_browser()
    for person in (new_browser(alice), stranger):
        person.get(shop.get_absolute_url())
    digest = visitors.digest(stranger.cookies[visitors.COOKIE_NAME].value)
    assert seen(recent.person_owner(alice.pk)) == seen(recent.visitor_owner(digest)) == [shop.pk]
    held: Any = list(redis_client.get().scan_iter("savor:uv:recent:*"))
    assert len(held) == 2


def log_in(person: Client, user: User) -> None:
    person.post("/login/code/", {"phone": user.phone})
    code = sms_recorder.last_code(user.phone)
    assert person.post("/login/", {"phone": user.phone, "code": code}).status_code == 302


def test_the_log_in_merges_what_the_browser_saw(alice: User) -> None:
    person, shops = new_browser(), makers.shops(3)
    look(shops[2].pk, user_id=alice.pk, at=NOON - timedelta(days=400))
    for shop in shops[:2]:
        person.get(shop.get_absolute_url())
    digest = visitors.digest(person.cookies[visitors.COOKIE_NAME].value)
    log_in(person, alice)
    assert seen(recent.person_owner(alice.pk)) == [shops[1].pk, shops[0].pk, shops[2].pk]
    assert seen(recent.visitor_owner(digest)) == []


def test_a_merge_keeps_the_later_view_and_the_length() -> None:
    for number in range(1, 21):
        look(number, at=NOON + timedelta(seconds=number))
        look(number + 10, user_id=7, at=NOON + timedelta(seconds=number + 100))
    request = RequestFactory().get("/")
    request.COOKIES[visitors.COOKIE_NAME] = COOKIE
    recent.move_to_person(request, user_id=7)
    expected = [*range(30, 10, -1), *range(10, 5, -1)]
    assert seen("u7") == expected
    recent.move_to_person(request, user_id=7)
    assert seen("u7") == expected


def test_clearing_forgets_one_list_only() -> None:
    look(1, user_id=7)
    look(1)
    recent.clear("u7")
    assert seen("u7") == []
    assert seen(recent.visitor_owner(visitors.digest(COOKIE))) == [1]


@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_list_is_empty_and_nothing_is_merged(alice: User) -> None:
    request = RequestFactory().get("/")
    request.COOKIES[visitors.COOKIE_NAME] = COOKIE
    recent.move_to_person(request, user_id=alice.pk)
    assert seen("u7") == []


def test_a_browser_without_a_cookie_has_no_list() -> None:
    request = RequestFactory().get("/")
    recent.move_to_person(request, user_id=7)
    assert recent.newest(recent.visitor_owner(visitors.digest(visitors.read_cookie(request)))) == []


def test_a_visitor_s_first_view_is_kept_shortly_until_the_next() -> None:
    """A program that opens pages without cookies makes a key each time: it must not stay for two months."""
    held: Any = redis_client.get()
    first, again, person = "v" + "1" * 32, "v" + "2" * 32, recent.person_owner(7)
    for owner in (first, again, again, person):
        for command in recent.view_commands(owner, Scope("shop", 7)):
            held.execute_command(*command)
    lives = [held.ttl(keys.RECENT(who=owner)) for owner in (first, again, person)]
    short, long = keys.FIRST_VIEW_KEPT.total_seconds(), keys.RECENT_KEPT.total_seconds()
    assert short - 60 < lives[0] <= short
    assert all(long - 60 < life <= long for life in lives[1:])
