from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, StorageState

from tests import loops, sites
from tests.browser import cities, page_walk, site_browsers
from tests.browser.looks import pictures


@pytest.fixture(scope="session")
def city_directory() -> Path:
    """The stopped demo city that the workers of this run copy."""
    return cities.seed_once("city", cities.SALES_CODE)


@pytest.fixture(scope="session")
def city(city_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sites.Site]:
    """A small demo city that is open: web, one consumer, and a worker who brings the bank's callbacks."""
    # To its sales, a Redis that starts with a copy has lost something: they would wait for receipts.
    with sites.Site(tmp_path_factory.mktemp("city"), origin=city_directory, SALE_HOLD_SECONDS="0") as made:
        made.start("web", "consumer", "worker")
        yield made


@pytest.fixture(scope="session")
def sales(city_directory: Path) -> cities.Sales:
    """Flash sales of the city that nobody has bought from."""
    return cities.read_sales(city_directory)


@pytest.fixture
def running(sales: cities.Sales) -> str:
    """The path of a running sale of this test's own, ten units."""
    return next(sales.running)


@pytest.fixture
def single_unit(sales: cities.Sales) -> str:
    """The path of a running sale of this test's own, one unit."""
    return next(sales.single)


@pytest.fixture
def visit(browser: Browser, city: sites.Site) -> Iterator[site_browsers.SiteBrowsers]:
    """visit(360, theme="dark", language="zh") -> a page of the city; no console may complain."""
    opened = site_browsers.SiteBrowsers(browser, city)
    yield opened
    opened.close()
    assert opened.complaints == []


@pytest.fixture(scope="session")
def resident(city: sites.Site, sales: cities.Sales) -> site_browsers.Resident:
    """Somebody who is logged in and has an order in every state."""
    return site_browsers.prepare_resident(city, sales.running, sales.coming)


@pytest.fixture
def state(resident: site_browsers.Resident) -> StorageState:
    """For visit(state=state): the resident's browser."""
    return resident.state


@pytest.fixture(scope="session")
def walk(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[page_walk.PageWalk]:
    """A walk over the pages of a city whose clock stands still; LOOKS=write keeps the looks that it sees."""
    with page_walk.run_frozen_city(tmp_path_factory.mktemp("frozen")) as (site, names):
        walking = page_walk.PageWalk(browser, site, names)
        yield walking
        with loops.driving():
            walking.close()
    if page_walk.IS_WRITING:
        pictures.clear()
        for name, looks in walking.seen.items():
            pictures.write(name, looks)
