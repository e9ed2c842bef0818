from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, StorageState

from tests import sites
from tests.browser import visits


@pytest.fixture(scope="session")
def city(site: sites.Site) -> sites.Site:
    """A small demo city that is open: web, one consumer, and a worker who brings the bank's callbacks."""
    site.manage("seed_demo", "--shops", "60", "--verbosity", "0")
    site.start("web", "consumer", "worker")
    return site


@pytest.fixture(scope="session")
def stall(city: sites.Site) -> Iterator[str]:
    """Running sales that nobody has bought from; next(stall) is the path of another."""
    return iter(visits.sales(city, *[0] * 8))


@pytest.fixture
def running(stall: Iterator[str]) -> str:
    """The path of a sale of this test's own, ten units."""
    return next(stall)


@pytest.fixture
def visit(browser: Browser, city: sites.Site) -> Iterator[visits.Visits]:
    """visit(360, theme="dark", language="zh") -> a page of the city; no console may complain."""
    opened = visits.Visits(browser, city)
    yield opened
    opened.close()
    assert opened.complaints == []


@pytest.fixture(scope="session")
def resident(browser: Browser, city: sites.Site) -> Iterator[visits.Resident]:
    """Somebody who is logged in and has an order in every state."""
    opened = visits.Visits(browser, city)
    yield visits.settle(opened)
    opened.close()


@pytest.fixture
def state(resident: visits.Resident) -> StorageState:
    """For visit(state=state): the resident's browser."""
    return resident.state
