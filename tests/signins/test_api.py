from datetime import date
from typing import Any

import pytest
import redis
from django.test import Client

from apps.accounts.models import User
from apps.signins import calendars, check_ins, keys, limits, points
from apps.signins.models import SignInMonth
from apps.signins.streaks.days import ONE_DAY
from tests.coupons import buyers
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = pytest.mark.django_db(transaction=True)
JSON = "application/json"


def post_make_up(program: Client, day: date | str) -> Any:
    return program.post("/api/sign-ins/make-up", {"day": str(day)}, content_type=JSON)


def test_signing_in_is_201_then_200(program: Client) -> None:
    first, again = program.post("/api/sign-ins"), program.post("/api/sign-ins")
    assert (first.status_code, again.status_code) == (201, 200)
    same = {"day": "2026-11-21", "streak": 1, "best": 1, "total": 1, "points": 5}
    assert first.json() == same | {"new": True, "won": 5}
    assert again.json() == same | {"new": False, "won": 0}


def test_a_month(program: Client, alice: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(date(2026, 11, 2), 4), points=7)
    assert program.get("/api/sign-ins?month=2026-10").json() == {
        "month": "2026-10",
        "days": ["2026-10-30", "2026-10-31"],
        "streak": 0,
        "best": 4,
        "total": 4,
        "points": 7,
        "makeups_left": check_ins.MAKE_UPS_PER_MONTH,
    }
    assert program.get("/api/sign-ins").json()["days"] == ["2026-11-01", "2026-11-02"]


def test_asking_for_all_months_fills_nothing(
    program: Client, alice: User, guarded_redis: redis.Redis
) -> None:
    for year in range(1, 9999, 500):
        program.get(f"/api/sign-ins?month={year:04}-05")
    months = [str(key) for key in guarded_redis.scan_iter(match=keys.CHECK_IN_MONTH.scan_pattern)]
    assert len(months) == calendars.MONTHS_PER_ROUND_TRIP


@pytest.mark.parametrize("month", ["1999-12", "0001-01", "9999-12", "2027-01"])
def test_a_month_without_sign_ins_is_empty(program: Client, month: str) -> None:
    answer = program.get(f"/api/sign-ins?month={month}")
    assert (answer.status_code, answer.json()["days"], answer.json()["month"]) == (200, [], month)


BAD_MONTHS = [
    "2026-13",
    "2026-00",
    "0000-01",
    "9999999-01",
    "2026-1",
    "2026-11-01",
    "２０２６-11",
    "2026-1１",
]


@pytest.mark.parametrize(
    "month", [*BAD_MONTHS, "now", "-", "2026_11", " 2026-11", "2026-11\n", "🍜", "x" * 9999]
)
def test_a_bad_month_is_422(program: Client, month: str) -> None:
    answer = program.get("/api/sign-ins", {"month": month})
    assert answer.status_code == 422
    assert answer.json()["code"] in {"bad_month", "invalid"}


@pytest.mark.parametrize("month", ["2026-11\x00", "\ud800"])
def test_a_month_that_is_no_text_is_400(program: Client, month: str) -> None:
    assert program.get("/api/sign-ins", {"month": month.encode("utf-8", "surrogatepass")}).status_code in {
        400,
        422,
    }


BAD_DAYS = ["2026-02-30", "2025-02-29", "2026-13-01", "0000-01-01", "99999-01-01", "20261103", "2026-W45-2"]


@pytest.mark.parametrize(
    "day", [*BAD_DAYS, "", "２０２６-11-03", "2026-11-03T00:00", "yesterday", "x" * 9999]
)
def test_a_bad_day_is_422(program: Client, day: str) -> None:
    answer = post_make_up(program, day)
    assert (answer.status_code, SignInMonth.objects.count()) == (422, 0)


@pytest.mark.parametrize(
    "body", ["[]", "{}", '{"day": 20261103}', '{"day": null}', '{"day": ["2026-11-03"]}', "", "x"]
)
def test_a_body_of_another_shape_is_refused(program: Client, body: str) -> None:
    answer = program.post("/api/sign-ins/make-up", body, content_type=JSON)
    assert answer.status_code in {400, 422}
    assert answer["Content-Type"] == "application/problem+json"


def test_making_up_a_day(program: Client, alice: User) -> None:
    makers.checked_in_on(
        alice, [*makers.days_in_a_row(TODAY, 2), *makers.days_in_a_row(TODAY - 3 * ONE_DAY, 3)], points=80
    )
    answer = post_make_up(program, TODAY - 2 * ONE_DAY)
    assert answer.status_code == 201
    assert answer.json() == {
        "day": "2026-11-19",
        "new": True,
        "streak": 6,
        "best": 6,
        "total": 6,
        "points": 30,
        "won": 0,
        "makeups_left": 2,
    }


def test_a_refused_make_up_says_why(program: Client, alice: User) -> None:
    makers.checked_in_on(alice, [TODAY - 5 * ONE_DAY], points=points.MAKE_UP_PRICE - 1)
    reasons = [
        (TODAY, 422, "future"),
        (TODAY + ONE_DAY, 422, "future"),
        (date(9999, 12, 31), 422, "future"),
        (date(1, 1, 1), 422, "too_old"),
        (TODAY - check_ins.MAKE_UP_AGE - ONE_DAY, 422, "too_old"),
        (TODAY - 5 * ONE_DAY, 409, "already_signed"),
        (TODAY - ONE_DAY, 409, "no_points"),
    ]
    for day, status, code in reasons:
        answer = post_make_up(program, f"{day.year:04}-{day:%m-%d}")
        assert (answer.status_code, answer.json()["code"]) == (status, code), day


@pytest.mark.parametrize("path", ["/api/sign-ins", "/api/sign-ins/make-up"])
def test_nobody_is_401(client: Client, path: str) -> None:
    assert client.post(path, {"day": "2026-11-03"}, content_type=JSON).status_code == 401
    assert client.get("/api/sign-ins").status_code == 401


def test_a_loop_is_429(program: Client) -> None:
    answers = [program.post("/api/sign-ins") for _ in range(limits.ATTEMPTS.allowed + 1)]
    assert answers[-1].status_code == 429
    assert int(answers[-1]["Retry-After"]) >= 1


def test_leaders_for_everybody_and_my_rank_with_a_token(client: Client, alice: User, bob: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 3))
    makers.checked_in_on(bob, makers.days_in_a_row(TODAY - ONE_DAY, 5))
    found = client.get("/api/sign-ins/leaders").json()
    assert [(one["rank"], one["user"]["nickname"], one["streak"]) for one in found["items"]] == [
        (1, "Bob", 5),
        (2, "Alice", 3),
    ]
    assert found["me"] is None
    assert buyers.api_client(alice).get("/api/sign-ins/leaders").json()["me"] == {"rank": 2, "streak": 3}


def test_points_say_what_they_buy(program: Client, alice: User, client: Client) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 2), points=130)
    found = program.get("/api/sign-ins/points").json()
    assert {name: found[name] for name in ("points", "makeup_price", "makeups_affordable", "next")} == {
        "points": 130,
        "makeup_price": points.MAKE_UP_PRICE,
        "makeups_affordable": 2,
        "next": None,
    }
    assert found["missed_days"][0] == str(TODAY - 2 * ONE_DAY)
    assert [(entry["amount"], entry["reason"]) for entry in found["items"]] == [(130, "adjustment")]
    page = buyers.browser_client(alice).get("/sign-in/points/").content.decode()
    assert "Your points are enough for 2 days." in page
    assert f"day={TODAY - 2 * ONE_DAY}" in page
    assert program.get("/api/sign-ins/points?cursor=x").json()["code"] == "bad_cursor"
    assert client.get("/api/sign-ins/points").status_code == 401


def test_too_few_points_say_how_many_are_missing(alice: User) -> None:
    makers.checked_in_on(alice, [TODAY], points=30)
    page = buyers.browser_client(alice).get("/sign-in/points/").content.decode()
    assert f"You need {points.MAKE_UP_PRICE - 30} more points for one." in page
    assert "?day=" not in page
