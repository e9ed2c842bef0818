"""A process waits for PostgreSQL as long as it has said, and tells the server so."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.db import OperationalError, connection
from pytest_django.fixtures import Settings

from apps.redis_kit import breaker
from apps.web import sql_deadlines
from apps.web.sql_deadlines import Deadlines


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sql_deadlines.use(None)


def test_each_kind_of_process_has_its_own(settings: Settings) -> None:
    settings.SQL_CONNECT_SECONDS, settings.SQL_STATEMENT_SECONDS, settings.SQL_LOCK_SECONDS = 3, 5.0, 0.5
    told = sql_deadlines.web().as_parameters()
    assert told["options"] == "-c statement_timeout=5000 -c lock_timeout=500"
    assert (told["connect_timeout"], told["tcp_user_timeout"]) == (3, 6_000)
    settings.SQL_BACKGROUND_SECONDS = 60.0
    assert sql_deadlines.background().as_parameters()["options"] == "-c statement_timeout=60000"
    settings.SQL_BACKGROUND_SECONDS = 0.0
    for endless in (sql_deadlines.background(), sql_deadlines.command()):
        assert "options" not in endless.as_parameters()
        assert endless.as_parameters()["keepalives"] == 1


def test_a_process_that_says_nothing_is_a_command() -> None:
    assert sql_deadlines.current() == sql_deadlines.command()
    sql_deadlines.use(sql_deadlines.web())
    assert sql_deadlines.current() == sql_deadlines.web()


@pytest.mark.django_db
def test_a_database_without_deadlines_is_as_patient_as_ever() -> None:
    with sql_deadlines.patience(), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


@pytest.fixture
def short(django_db_setup: None, django_db_blocker: Any) -> Iterator[Any]:
    """Another connection to the tests' PostgreSQL, with a lock time-out of a tenth of a second."""
    sql_deadlines.use(Deadlines(connect=10, statement=30.0, lock=0.1))
    with django_db_blocker.unblock():
        made = connection.copy()
        yield made
        made.close()


def execute(there: Any, sql: str) -> None:
    with there.cursor() as cursor:
        cursor.execute(sql)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_what_the_url_says_counts_before_them(short: Any) -> None:
    short.settings_dict["OPTIONS"] = {"connect_timeout": 77, "options": "-c lock_timeout=300"}
    wanted = short.get_connection_params()
    assert wanted["connect_timeout"] == 77
    execute(short, "SHOW lock_timeout")
    with short.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout'), current_setting('statement_timeout')")
        assert cursor.fetchone() == ("300ms", "30s")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_after_a_vain_wait_a_request_waits_half_a_second_more_and_the_next_one_anew(short: Any) -> None:
    with connection.cursor() as holding:
        holding.execute("BEGIN; LOCK TABLE shops_shop IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(OperationalError, match="lock timeout"):
            execute(short, "SELECT count(*) FROM shops_shop")
        assert short.connection.is_late
        left = short.connection.info.backend_pid
        # The server would take a minute: its connection is given up, and with it the request.
        with pytest.raises(OperationalError, match=r"not answered within 0\.5 s"):
            execute(short, "SELECT pg_sleep(60)")
        with pytest.raises(OperationalError, match="closed"):
            execute(short, "SELECT 1")
        short.close_if_unusable_or_obsolete()
        execute(short, "SELECT 1")
        assert not short.connection.is_late
        holding.execute("ROLLBACK")
        # It would notice at the statement's end that nobody listens.
        holding.execute("SELECT pg_terminate_backend(%s, 60000)", [left])
    # Half a second says nothing of the server.
    assert not breaker.of_name("PostgreSQL").is_open


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_an_export_has_longer_and_gives_it_back(short: Any) -> None:
    def limits() -> tuple[str, float]:
        with short.cursor() as cursor:
            cursor.execute("SELECT current_setting('statement_timeout')")
            return cursor.fetchone()[0], short.connection.deadlines.statement

    with short.waiting_longer(90.0):
        assert limits() == ("90s", 90.0)
    assert limits() == ("30s", 30.0)
    with suppress(ZeroDivisionError), short.waiting_longer(90.0):
        raise ZeroDivisionError
    assert limits() == ("30s", 30.0)
