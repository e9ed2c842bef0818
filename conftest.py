"""Fixtures for all tests: people, a Redis per worker, the key guard, a browser, a whole running site."""

import gc
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import redis
from django.conf import settings
from django.db import transaction
from django.test import Client, RequestFactory, TransactionTestCase
from django.utils import translation
from playwright.sync_api import Browser, expect, sync_playwright
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer
from redis.connection import AbstractConnection

from apps.accounts.models import User
from apps.accounts.sessions import renewals
from apps.demo import embedded_redis
from apps.geoip import locating
from apps.redis_kit import breaker, cache, client
from apps.search import limits
from apps.shops.geo import cities
from apps.shops.models import City
from apps.uv import counting, stats_calls
from apps.web import sql_deadlines
from tests import (
    api_examples,
    chromium_pages,
    closing_line,
    filled_tables,
    first_ids,
    key_guard,
    loops,
    races,
    selection,
    sites,
)
from tests.coupons import buyers
from tests.factories import CityFactory, UserFactory
from tests.redis_nodes import cluster

# However slow the machine, no example is too slow; `make check-all` tries three times as many.
hypothesis.settings.register_profile("short", deadline=None, max_examples=30)
hypothesis.settings.register_profile("long", deadline=None, max_examples=100)
hypothesis.settings.load_profile(os.environ.get("TEST_LENGTH", "short"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only-sql", action="store_true", help="leave out tests that use no database")
    parser.addoption(
        "--redis-cluster",
        action="store_true",
        help="run on three masters with a replica each, all but the broker",
    )
    parser.addoption("--api-examples", type=Path, help="write what the API answers into this file")


# Collecting makes a million objects that stay; looking through them for garbage takes a quarter of the time.
gc.disable()


def pytest_collection_finish() -> None:
    """From now on collect garbage, but only among what the tests make."""
    gc.freeze()
    gc.enable()
    # Whichever test imports config.asgi, this process is none of the site's: races wait as long as they take.
    sql_deadlines.use(None)


def pytest_configure(config: pytest.Config) -> None:
    """Compile the Chinese texts once a run, since the repository doesn't contain compiled ones."""
    if not hasattr(config, "workerinput"):
        subprocess.run(["make", "-s", "translations"], cwd=config.rootpath, check=True)
        _share_directory(config)
    if place := config.getoption("--api-examples"):
        config.pluginmanager.register(api_examples.Recorder(place))


def pytest_sessionstart(session: pytest.Session) -> None:
    """While the first worker compiles the tests, let another migrate; it then reads what is compiled."""
    worker = getattr(session.config, "workerinput", {}).get("workerid", "gw0")
    if worker != "gw0" and _is_sqlite():
        sites.migrated_database()


def _is_sqlite() -> bool:
    return str(settings.DATABASES["default"]["ENGINE"]).endswith("sqlite3")


def _share_directory(config: pytest.Config) -> None:
    """Give this run's workers one place for what one of them makes for all."""
    os.environ[sites.RUN_DIRECTORY] = place = tempfile.mkdtemp(prefix="savor-run-")
    config.add_cleanup(partial(shutil.rmtree, place, ignore_errors=True))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out or skip what --only-sql, --redis-cluster and a machine without some programs ask to."""
    if config.getoption("--only-sql"):
        config.hook.pytest_deselected(items=[item for item in items if not selection.uses_sql(item)])
        items[:] = filter(selection.uses_sql, items)
    # Beside the tests without a browser, one worker has all journeys, and so one city and one browser.
    items.sort(key=lambda item: item.get_closest_marker("journey") is None)
    for item in items:
        for reason in selection.reasons_to_skip(item, on_cluster=config.getoption("--redis-cluster")):
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end how many passed, how many were skipped and why, and the minutes."""
    closing_line.write(terminalreporter)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Hide Playwright's event loop after each browser test, so the next test can start its own."""
    # By its mark: a fixture of another kind may be called "browser".
    with loops.driving() if item.get_closest_marker("browser") else nullcontext():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish() -> Generator[None, object, object]:
    """Give Playwright its event loop back also when the run is interrupted."""
    with loops.driving():
        return (yield)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[embedded_redis.Server]:
    """Start this worker's own Redis where the settings point, and stop it after the run."""
    server = embedded_redis.start(settings.REDIS_DIR)
    yield server
    client.close_all()
    server.stop()


@pytest.fixture(scope="session")
def redis_cluster(
    redis_server: embedded_redis.Server, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[None]:
    """With --redis-cluster, point every connection but the broker's at a cluster of this worker's own."""
    if not pytestconfig.getoption("--redis-cluster"):
        yield
        return
    with cluster.run_cluster(tmp_path_factory.mktemp("cluster"), appendonly="yes") as nodes:
        settings.REDIS_CONNECTIONS = {
            name: options if name == "broker" else options | {"url": nodes.url}
            for name, options in settings.REDIS_CONNECTIONS.items()
        }
        client.close_all()
        yield
        client.close_all()


@pytest.fixture(autouse=True)
def guarded_redis(redis_server: embedded_redis.Server, redis_cluster: None) -> Iterator[redis.Redis]:
    """Empty Redis before the test; fail afterwards if it holds a key that is not declared."""
    # A test before may have had a server that didn't answer.
    breaker.forget_all()
    for name in ("default", "broker"):
        client.get(name).flushall()
    yield client.get()
    breaker.forget_all()
    for name in ("default", "broker"):
        key_guard.assert_declared(client.get(name))


@pytest.fixture(autouse=True)
def rested_caches() -> Iterator[None]:
    """Reset circuit breakers, which an earlier test may have opened, languages and places."""
    translation.deactivate()
    cache.reset()
    stats_calls.forget_failure()
    limits.forget_refused()
    locating.forget()
    cities.forget()
    renewals.forget()
    yield
    counting.flush()
    cache.reset()
    stats_calls.forget_failure()


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool, django_db_modify_db_settings: None) -> bool:
    """On SQLite, begin with a copy of the migrated file that is kept between runs.

    Only django_db_modify_db_settings gives the file its name with the worker's in it.
    """
    if not _is_sqlite():
        return django_db_keepdb
    shutil.copy(sites.migrated_database(), settings.DATABASES["default"]["TEST"]["NAME"])
    return True


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """The database, with the two cities that the tests take place in."""
    with django_db_blocker.unblock():
        make_cities()


def make_cities() -> None:
    """Hangzhou, where newcomers start, and Shanghai."""
    cities_of_tests = [CityFactory.build(), CityFactory.build(shanghai=True)]
    City.objects.bulk_create(cities_of_tests, ignore_conflicts=True)


@pytest.fixture(scope="session", autouse=True)
def quick_emptying() -> Iterator[None]:
    """Empty the database after a test that commits, in a small part of the time Django takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", delete_all_rows)
        # A connection made anew has to read the whole schema again.
        patch.setattr(TransactionTestCase, "_should_reload_connections", lambda _case: False)
        yield


def delete_all_rows(_case: object = None) -> None:
    """Delete every row but those that migrate wrote, which Django's own teardown would write again."""
    # In one transaction, constraints are checked only after all deletes.
    with transaction.atomic():
        filled_tables.delete_rows()
        make_cities()


@pytest.fixture(autouse=True)
def restarted_ids(request: pytest.FixtureRequest) -> None:
    """Begin each test with the first ids, since a test that meets a certain id would be red by chance."""
    if selection.uses_sql(request.node):
        request.getfixturevalue("db")
        first_ids.restart()


@pytest.fixture(scope="session", autouse=True)
def lasting_cities() -> Iterator[None]:
    """Have the cities read again when a test begins or writes them, not when it is slow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cities, "FRESH_SECONDS", 3_600.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def same_origin_clients() -> Iterator[None]:
    """Let Django's test clients say, as browsers do, that the site's own page sends their requests."""
    plain = RequestFactory.__init__

    def with_fetch_site(
        factory: RequestFactory, *, headers: dict[str, str] | None = None, **rest: Any
    ) -> None:
        plain(factory, headers=buyers.SAME_ORIGIN | (headers or {}), **rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RequestFactory, "__init__", with_fetch_site)
        yield


@pytest.fixture(autouse=True)
def rested_racers() -> Iterator[None]:
    """Close the SQL connections of the test's threads after the test."""
    yield
    races.close_idle_connections()


@pytest.fixture
def race() -> races.Race:
    """race(100, act) returns what act(0) … act(99) return or raise, all started at once."""
    return races.race


@pytest.fixture
def alice(db: None) -> User:
    """A user in Shanghai; by convention the owner."""
    return UserFactory.create(phone="+8613800000001", nickname="Alice", city="Shanghai")


@pytest.fixture
def bob(db: None) -> User:
    """A user in Shanghai; by convention the participant."""
    return UserFactory.create(phone="+8613800000002", nickname="Bob", city="Shanghai")


@pytest.fixture
def charlie(db: None) -> User:
    """A user in Hangzhou; by convention the stranger."""
    return UserFactory.create(phone="+8613800000003", nickname="Charlie", city="Hangzhou")


@pytest.fixture
def manager(db: None) -> User:
    """A member of staff with every permission in the admin."""
    return UserFactory.create(
        superuser=True, phone="+8613800000009", password="manager-password", nickname="Manager"
    )


@pytest.fixture
def boss(client: Client, manager: User) -> Client:
    """A test client logged in to the admin as the manager."""
    client.force_login(manager)
    return client


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = chromium_pages.find_chromium()
    assert found, "no Chromium: apt-get install chromium"
    expect.set_options(timeout=chromium_pages.TIMEOUT_MS)
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        opened = playwright.chromium.launch(executable_path=found, args=chromium_pages.CHROMIUM_ARGUMENTS)
        yield opened
        # The last test of the run may be one of asyncio.
        with loops.driving():
            opened.close()
            stack.close()


@pytest.fixture
def page_at(browser: Browser, live_server: LiveServer) -> Iterator[chromium_pages.PageAt]:
    """page_at(360, theme="dark") opens a Playwright page of the live server; complaints fail the test."""
    opened = chromium_pages.PageAt(browser, live_server.url)
    yield opened
    opened.close()
    assert opened.complaints == []


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sites.Site]:
    """A whole migrated site in a directory of its own; the test starts and kills its processes."""
    with sites.Site(tmp_path_factory.mktemp("site")) as made:
        yield made


@pytest.fixture
def impatient_redis(guarded_redis: redis.Redis, settings: Settings) -> Iterator[None]:
    """Set Redis deadlines of half a second, as on the site; tests otherwise allow for a crowded machine."""
    there = settings.REDIS_CONNECTIONS
    settings.REDIS_CONNECTIONS = {name: options | {"deadline": 0.5} for name, options in there.items()}
    client.close_all()
    yield
    settings.REDIS_CONNECTIONS = there
    client.close_all()


@pytest.fixture
def redis_away_now(guarded_redis: redis.Redis, settings: Settings) -> Iterator[Callable[[], None]]:
    """redis_away_now() points the settings at a Redis socket that doesn't exist, until the test ends."""
    there = settings.REDIS_CONNECTIONS

    def cut() -> None:
        settings.REDIS_CONNECTIONS = {
            name: options | {"url": "unix:///nowhere/redis.sock"} for name, options in there.items()
        }
        client.close_all()

    yield cut
    settings.REDIS_CONNECTIONS = there
    client.close_all()


@pytest.fixture
def redis_away(redis_away_now: Callable[[], None]) -> None:
    """Point the settings at a Redis socket that doesn't exist, for the whole test."""
    redis_away_now()


@pytest.fixture
def round_trips(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A list that gets one entry for each round trip to Redis."""
    sent: list[object] = []
    send: Callable[..., None] = AbstractConnection.send_packed_command

    def counted(self: AbstractConnection, command: object, check_health: bool = True) -> None:
        sent.append(command)
        send(self, command, check_health)

    monkeypatch.setattr(AbstractConnection, "send_packed_command", counted)
    return sent
