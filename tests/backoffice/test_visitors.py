"""The admin's numbers of visits."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.uv import counting, days, visitors, visits
from apps.uv.page_kinds import Scope
from tests.blog import makers
from tests.factories import DailyVisitsFactory
from tests.shops import makers as shop_makers

pytestmark = pytest.mark.django_db
PAGE = "/admin/visitors/"


def count_views(kind: str, object_id: int, *names: int) -> None:
    for name in names:
        counting.count(counting.View(Scope(kind, object_id), visitors.digest(f"{name:022}")))


def test_a_new_site_says_that_nobody_came(boss: Client) -> None:
    page = boss.get(PAGE).content.decode()
    assert "Nobody has come in the last thirty days." in page
    assert "Nobody has come in the last two weeks." in boss.get("/admin/").content.decode()
    assert f'href="{PAGE}"' in page


@pytest.mark.both_databases
def test_it_shows_days_kinds_and_what_was_seen_most(boss: Client, bob: User) -> None:
    shop, note = makers.shop("Tea & <b>Leaf</b>"), makers.note(bob, title="Broth")
    count_views("shop", shop.pk, 1, 2, 3)
    count_views("note", note.pk, 1)
    count_views("shop", 999, 1)
    visits.write_counts()
    answer = boss.get(PAGE)
    shown = answer.context
    assert (shown["today"].uv, shown["today"].pv) == (3, 5)
    assert [(row.name, row.views) for row in shown["shops"]] == [(shop.name, 3), ("deleted", 1)]
    assert [(row.name, row.url) for row in shown["notes"]] == [("Broth", f"/notes/{note.pk}/")]
    assert '"shop pages"' in shown["by_kind"]
    assert b"<b>Leaf" not in answer.content


def test_the_dashboard_counts_today(boss: Client) -> None:
    count_views("shop", 1, 1, 2)
    assert boss.get("/admin/panels/").context["today"].uv == 2


@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_snapshots_are_shown_and_it_is_said(boss: Client) -> None:
    DailyVisitsFactory.create(day=days.today() - timedelta(days=1), scope="site", uv=41, pv=97)
    page = boss.get(PAGE).content.decode()
    assert "97" in page
    assert "Redis is away or has lost a day" in page


def test_many_objects_and_days_cost_what_few_do(boss: Client, bob: User) -> None:
    def cost() -> int:
        visits.write_counts()
        boss.get(PAGE)
        with CaptureQueriesContext(connection) as queries:
            boss.get(PAGE)
        return len(queries)

    count_views("shop", makers.shop().pk, 1)
    count_views("note", makers.note(bob).pk, 1)
    few = cost()
    for shop in shop_makers.shops(12):
        count_views("shop", shop.pk, 1, 2)
        count_views("note", makers.note(bob).pk, 1)
    assert cost() == few


def test_only_who_may_see_it_sees_it(client: Client, alice: User) -> None:
    assert client.get(PAGE).status_code == 302
    client.force_login(alice)
    assert client.get(PAGE).status_code == 302
    alice.is_staff = True
    alice.save()
    assert client.get(PAGE).status_code == 403
    assert "visitors today" not in client.get("/admin/").content.decode()
