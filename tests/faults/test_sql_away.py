"""SQL is locked, or its connections are cut, while people buy."""

import time
from typing import Any

import pytest

from tests.books import Books
from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite, repeat_during
from tests.sites import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]


def test_sql_that_is_locked_delays_and_loses_nothing(running_site: FaultSite) -> None:
    sale, before = site_setup.create_sale(running_site.clerk, stock=100), running_site.dead_letters()
    with running_site.books.sql() as cursor:
        cursor.execute("BEGIN IMMEDIATE" if running_site.books.is_sqlite else "BEGIN")
        if not running_site.books.is_sqlite:
            cursor.execute("LOCK TABLE coupons_flashsale IN ACCESS EXCLUSIVE MODE")
        tally = running_site.sell(running_site.crowd(sale, 200))
        time.sleep(2)
        assert running_site.books.rows(sale) == 0
        cursor.execute("COMMIT")
    running_site.kept(sale, stock=100, tally=tally)
    assert running_site.dead_letters() == before


def test_an_sqlite_locked_past_its_patience_delays_and_loses_nothing(running_site: FaultSite) -> None:
    """Another process writes for longer than the 20 s for which a consumer waits for the lock."""
    sale, before = site_setup.create_sale(running_site.clerk, stock=100), running_site.dead_letters()
    told = len(running_site.site.log("consumer"))
    with running_site.books.sql() as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        tally = running_site.sell(running_site.crowd(sale, 200))
        wait_until(
            lambda: "database is locked" in running_site.site.log("consumer")[told:],
            seconds=90,
            otherwise="the consumer doesn't notice",
        )
        assert running_site.books.rows(sale) == 0
        cursor.execute("COMMIT")
    assert running_site.site.processes["consumer"].poll() is None
    running_site.kept(sale, stock=100, tally=tally)
    assert running_site.dead_letters() == before


@pytest.mark.postgres
def test_sql_connections_that_are_cut_are_made_again(running_site: FaultSite) -> None:
    sale, before = site_setup.create_sale(running_site.clerk, stock=200), running_site.dead_letters()
    # So many that the rush is long next to a cut, however quick the machine is.
    with (
        running_site.rush(running_site.crowd(sale, 1_000, connections=2)) as rush,
        running_site.books.sql() as cursor,
    ):
        cut = repeat_during(rush, lambda: _cut(cursor), pause=0.01)
        tally = rush.result()
    assert cut > 5
    running_site.kept(sale, stock=200, tally=tally)
    assert running_site.dead_letters() == before


@pytest.mark.postgres
def test_sql_that_is_away_is_waited_for(running_site: FaultSite) -> None:
    sale, before = site_setup.create_sale(running_site.clerk, stock=100), running_site.dead_letters()
    with running_site.books.sql() as cursor:
        cursor.execute("SELECT current_database()")
        name = cursor.fetchone()[0]
    away = running_site.site.environment["DATABASE_URL"].replace(name, "postgres")
    with Books(database_url=away, redis_url=running_site.site.redis_url).sql() as cursor:
        cursor.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        _cut(cursor)
        tally = running_site.sell(running_site.crowd(sale, 200))
        time.sleep(3)
        cursor.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
    running_site.kept(sale, stock=100, tally=tally)
    assert running_site.dead_letters() == before


def _cut(cursor: Any) -> None:
    """Cut every connection but this one."""
    cursor.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND datname LIKE 'savor_faults%'"
    )
