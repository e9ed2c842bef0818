import re
from datetime import date

import pytest
import time_machine
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User
from apps.signins import check_ins, points
from apps.signins.models import PointEntry, Standing
from apps.signins.streaks.days import ONE_DAY
from tests import markup
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


def text(html: bytes) -> str:
    """What a reader hears: no tags, single spaces."""
    return " ".join(re.sub(r"<[^>]+>", " ", html.decode()).split())


def test_the_calendar_asks_to_sign_in_and_then_says_so(page: Client) -> None:
    assert "Start a streak today" in text(page.get("/sign-in/").content)
    answer = page.post("/sign-in/today/", follow=True)
    assert answer.redirect_chain == [("/sign-in/", 302)]
    said = text(answer.content)
    assert "1 day in a row" in said
    assert "Checked in today" in said
    assert "You won 5 points." in said


def test_htmx_gets_what_has_the_button_again(page: Client) -> None:
    whole = markup.compact(page.post("/sign-in/today/", headers=HTMX | {"HX-Target": "check-in"}).content)
    assert whole.lstrip().startswith('<div class="check-in" id="check-in">')
    assert "streak--new" in whole
    card = markup.compact(page.post("/sign-in/today/", headers=HTMX | {"HX-Target": "check-in-card"}).content)
    assert 'id="check-in-card"' in card
    assert "<html" not in card


def test_each_day_says_what_it_is(page: Client, alice: User) -> None:
    makers.checked_in_on(alice, [*makers.days_in_a_row(TODAY - 3 * ONE_DAY, 2), TODAY], points=50)
    html = markup.compact(page.get("/sign-in/").content)
    assert html.count("checked in</span>") == 3
    assert 'aria-label="Make up 20 Nov for 50 points"' in html
    assert html.count("<tr>") == 7, "a row of names and six weeks"
    assert re.search(r'day--now[^>]*aria-current="date"', html)


def test_a_month_has_neighbours_only_where_there_is_something_to_see(page: Client, alice: User) -> None:
    makers.set_join_date(alice, date(2026, 10, 5))
    now, first = (
        markup.compact(page.get("/sign-in/").content),
        markup.compact(page.get("/sign-in/?month=2026-10").content),
    )
    assert ("?month=2026-10" in now, "?month=2026-12" in now) == (True, False)
    assert ("?month=2026-09" in first, "?month=2026-11" in first) == (False, True)
    far = markup.compact(page.get("/sign-in/?month=9999-12").content)
    assert "?month=2026-11" in far
    assert "?month=2026-10" in markup.compact(page.get("/sign-in/?month=0001-01").content)


def test_chinese_days_of_the_week_are_one_sign(page: Client) -> None:
    html = markup.compact(page.get("/sign-in/", headers={"Accept-Language": "zh-hans"}).content)
    for sign in "一二三四五六日":
        assert f'<span aria-hidden="true">{sign}</span><span class="sr-only">星期{sign}</span>' in html


def test_htmx_gets_another_month_alone(page: Client) -> None:
    html = markup.compact(page.get("/sign-in/?month=2026-10", headers=HTMX | {"HX-Target": "month"}).content)
    assert html.startswith("<section")
    assert "October 2026" in html


@pytest.mark.parametrize(
    "month", ["2026-13", "9999999-01", "0000-01", "２０２６-11", "x", "2026-11\x00", "-1"]
)
def test_a_bad_month_is_refused(page: Client, month: str) -> None:
    assert page.get("/sign-in/", {"month": month}).status_code in {400, 422}


def test_making_up_asks_first(page: Client, alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=60)
    url = f"/sign-in/make-up/?day={TODAY - ONE_DAY}"
    assert "It costs 50 of your 60 points" in text(page.get(url).content)
    assert "<html" not in markup.compact(page.get(url, headers=HTMX | {"HX-Target": "make-up"}).content)
    assert Standing.objects.get(user=alice).points == 60, "asking changes nothing"
    answer = page.post(url, follow=True)
    assert answer.redirect_chain == [("/sign-in/?month=2026-11", 302)]
    assert "20 Nov is made up. 2 days in a row." in text(answer.content)
    assert Standing.objects.get(user=alice).points == 10


@pytest.mark.both_databases
def test_a_make_up_that_is_not_possible_says_why(page: Client, alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=10)
    url = f"/sign-in/make-up/?day={TODAY - ONE_DAY}"
    asked, pressed = page.get(url).content, page.post(url, follow=True).content
    assert "It costs 50 points, and you have 10." in text(asked)
    assert b"Make it up" not in asked
    assert "You don&#x27;t have enough points for that." in text(pressed)


@pytest.mark.parametrize("day", ["", "2026-02-30", "today", "９", "2026-11-03\x00", "9" * 99])
def test_a_bad_day_is_refused(page: Client, day: str) -> None:
    for answer in (page.get("/sign-in/make-up/", {"day": day}), page.post(f"/sign-in/make-up/?day={day}")):
        assert answer.status_code in {400, 422}


@pytest.mark.parametrize("path", ["/sign-in/", "/sign-in/points/", "/sign-in/make-up/?day=2026-11-20"])
def test_nobody_is_asked_to_log_in(client: Client, path: str) -> None:
    assert client.get(path).headers["Location"].startswith("/login/?next=")


def test_signing_in_is_no_get(page: Client) -> None:
    assert page.get("/sign-in/today/").status_code == 405


@pytest.mark.both_databases
def test_points_are_listed_by_pages(page: Client, alice: User) -> None:
    for number in range(45):
        points.adjust(alice.pk, number + 1, note=f"<b>{number}</b>")
    first = markup.compact(page.get("/sign-in/points/").content)
    assert first.count("points__row") == 20
    assert "&lt;b&gt;44&lt;/b&gt;" in first
    following = re.search(r'hx-get="([^"]+)"', first)
    assert following
    second = markup.compact(page.get(f"/sign-in/points/{following[1]}", headers=HTMX).content)
    assert (second.count("points__row"), "&lt;b&gt;24&lt;/b&gt;" in second) == (20, True)
    assert page.get("/sign-in/points/?cursor=forged").status_code == 422


def test_points_stand_under_the_day_on_which_they_moved(page: Client, alice: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - ONE_DAY, 6), points=60)
    with time_machine.travel(makers.noon(TODAY), tick=False):
        check_ins.check_in_today(alice.pk)
    with time_machine.travel(makers.noon(TODAY + ONE_DAY), tick=False):
        check_ins.make_up(alice, TODAY - 8 * ONE_DAY)
    listed = text(page.get("/sign-in/points/").content)
    reasons = r"(Make-up day: (?:\w+ )?13(?: [A-Z]\w+)?|7 days in a row|Check-in)"
    moved = re.findall(rf"{reasons} (\D*\d+\D+2026)", listed)
    assert [reason.partition(":")[0] for reason, _ in moved] == ["Make-up day", "7 days in a row", "Check-in"]
    assert ["22" in day for _, day in moved] == [True, False, False]
    assert ["21" in day for _, day in moved] == [False, True, True]


def test_the_points_page_says_what_they_buy(page: Client) -> None:
    said = text(page.get("/sign-in/points/").content)
    assert "50 points buy a make-up day" in said
    assert "You need 50 more points for one." in said


def test_the_flame_is_on_a_persons_page_from_two_days_on(client: Client, alice: User, bob: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - ONE_DAY, 2))
    makers.checked_in_on(bob, [TODAY])
    assert "2 days in a row" in text(client.get(f"/people/{alice.pk}/").content)
    assert "in a row" not in text(client.get(f"/people/{bob.pk}/").content)


def test_my_page_has_the_card(page: Client, alice: User) -> None:
    makers.checked_in_on(alice, [TODAY - ONE_DAY])
    assert 'hx-target="#check-in-card"' in markup.compact(page.get("/me/").content)
    check_ins.check_in_today(alice.pk)
    assert "2 days in a row Done for today. See you tomorrow!" in text(page.get("/me/").content)


@pytest.mark.usefixtures("redis_away")
def test_everything_opens_and_signs_in_without_redis(page: Client, alice: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - ONE_DAY, 3))
    assert "4 days in a row" in text(page.post("/sign-in/today/", follow=True).content)
    for path in ("/sign-in/", "/sign-in/leaders/", "/sign-in/points/", "/me/"):
        assert page.get(path).status_code == 200


@pytest.mark.parametrize("many", [10, 20])
def test_the_calendar_costs_the_same_for_20_days_as_for_10(
    page: Client,
    alice: User,
    many: int,
    django_assert_num_queries: DjangoAssertNumQueries,
    round_trips: list[object],
) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, many))
    for number in range(many):
        points.pay(alice.pk, 1, reason=PointEntry.Reason.SIGN_IN, day=TODAY - number * ONE_DAY)
    page.get("/sign-in/")
    round_trips.clear()
    with django_assert_num_queries(4):
        page.get("/sign-in/")
    assert len(round_trips) <= 3


def test_at_midnight_the_button_is_back(page: Client, alice: User, clock: time_machine.Traveller) -> None:
    page.post("/sign-in/today/")
    clock.move_to(makers.noon(TODAY + ONE_DAY))
    assert "Check in before midnight to keep your streak." in text(page.get("/sign-in/").content)
