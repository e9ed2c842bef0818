from datetime import timedelta

import pytest
from django.test import Client

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.shops.models import Shop
from apps.uv import days
from tests.shops import makers
from tests.uv.browsing import new_browser

pytestmark = pytest.mark.django_db


def ask(user: User | None, **query: str) -> tuple[int, dict[str, object]]:
    token = tokens.issue(user, kind=AccessToken.Kind.API) if user else ""
    headers = {"Authorization": f"Bearer {token}"} if user else {}
    answer = Client().get("/api/uv", query, headers=headers)
    return answer.status_code, answer.json()


@pytest.fixture
def shop() -> Shop:
    made = makers.shop()
    new_browser().get(made.get_absolute_url())
    return made


def test_a_manager_reads_days_week_month_and_total(manager: User, shop: Shop) -> None:
    today = days.today()
    status, body = ask(manager, **{"from": str(today - timedelta(days=1)), "to": str(today)})
    assert status == 200
    assert body == {
        "days": [
            {"day": str(today - timedelta(days=1)), "uv": 0, "pv": 0},
            {"day": str(today), "uv": 1, "pv": 1},
        ],
        "week": {"uv": 1, "pv": 1},
        "month": {"uv": 1, "pv": 1},
        "total": {"uv": 1, "pv": 1},
    }


def test_without_dates_it_is_the_last_thirty_days(manager: User, shop: Shop) -> None:
    for page in ("", "site", "shop", f"shop:{shop.pk}"):
        status, body = ask(manager, page=page)
        listed = body["days"]
        assert isinstance(listed, list)
        assert (status, len(listed), listed[-1]["uv"]) == (200, 30, 1), page


def test_only_staff_may_ask(alice: User, manager: User) -> None:
    assert ask(None)[0] == 401
    assert (ask(alice)[0], ask(alice)[1]["code"]) == (403, "forbidden")
    assert ask(manager)[0] == 200


@pytest.mark.parametrize(
    "query",
    [
        {"from": "yesterday"},
        {"to": "2026-02-30"},
        {"from": "2026-11-02", "to": "2026-11-01"},
        {"from": "2025-11-01", "to": "2026-11-02"},
        {"from": "0001-01-01", "to": "0001-01-02"},
        {"to": "0001-01-01"},
        {"to": "9999-12-31"},
        {"from": ""},
        {"page": "zoo"},
        {"page": "home:1"},
        {"page": "shop:0"},
        {"page": "shop:-1"},
        {"page": "shop:１"},
        {"page": f"shop:{2**63}"},
        {"page": "shop:1\n"},
        {"page": "x" * 5_000},
        {"page": "{site}"},
    ],
)
def test_what_can_t_be_meant_is_refused_with_its_field(manager: User, query: dict[str, str]) -> None:
    status, body = ask(manager, **query)
    assert (status, body["code"]) == (422, "invalid")
    assert body["errors"]


def test_a_leap_year_fits_and_one_day_more_does_not(manager: User) -> None:
    assert ask(manager, **{"from": "2024-01-01", "to": "2024-12-31"})[0] == 200
    assert ask(manager, **{"from": "2024-01-01", "to": "2025-01-01"})[0] == 422
