from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, StorageState

from tests import sites
from tests.browser import site_browsers


@pytest.fixture(scope="session")
def city(site: sites.Site) -> sites.Site:
    """A small demo city that is open: web, one consumer, and a worker who brings the bank's callbacks."""
    site.manage("seed_demo", "--shops", "60", "--verbosity", "0")
    site.start("web", "consumer", "worker")
    return site


@pytest.fixture(scope="session")
def stall(city: sites.Site) -> Iterator[str]:
    """Running sales that nobody has bought from; next(stall) is the path of another."""
    return iter(site_browsers.create_sales(city, *[0] * 20))


@pytest.fixture
def running(stall: Iterator[str]) -> str:
    """The path of a sale of this test's own, ten units."""
    return next(stall)


@pytest.fixture
def visit(browser: Browser, city: sites.Site) -> Iterator[site_browsers.SiteBrowsers]:
    """visit(360, theme="dark", language="zh") -> a page of the city; no console may complain."""
    opened = site_browsers.SiteBrowsers(browser, city)
    yield opened
    opened.close()
    assert opened.complaints == []


@pytest.fixture(scope="session")
def resident(browser: Browser, city: sites.Site) -> Iterator[site_browsers.Resident]:
    """Somebody who is logged in and has an order in every state."""
    opened = site_browsers.SiteBrowsers(browser, city)
    yield site_browsers.prepare_resident(opened)
    opened.close()


@pytest.fixture
def state(resident: site_browsers.Resident) -> StorageState:
    """For visit(state=state): the resident's browser."""
    return resident.state
