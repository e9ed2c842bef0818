"""The tests that test_loops runs in one process: of a browser, of asyncio and of SQL in turn."""

import asyncio

import pytest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from playwright.sync_api import Browser

from apps.accounts.models import User
from tests import chromium_pages


@pytest.mark.browser
def test_a_browser_opens(browser: Browser) -> None:
    page = browser.new_page()
    assert page.evaluate("6 * 7") == 42
    page.close()


def test_asyncio_runs() -> None:
    async def seven() -> int:
        await asyncio.sleep(0)
        return 7

    assert asyncio.run(seven()) == 7


async def test_a_test_may_be_async() -> None:
    await asyncio.sleep(0)


@pytest.mark.django_db
def test_sql_is_there() -> None:
    assert not User.objects.exists()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_browser_is_there_again_and_sql_beside_it(page_at: chromium_pages.PageAt) -> None:
    page = page_at(360)
    page.goto("/")
    assert chromium_pages.horizontal_overflow(page) == 0
    assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_sql_needs_no_leave_of_the_browser() -> None:
    assert not User.objects.exists()


async def test_the_last_one_may_be_async() -> None:
    """Its own loop ends before the browser is closed, which needs that of Playwright."""
    await asyncio.sleep(0)


@pytest.mark.browser
@pytest.mark.django_db
def test_sql_is_read_in_a_transaction_beside_the_browser(browser: Browser) -> None:
    assert browser.contexts == []
    assert not User.objects.exists()


# Marked as the one before, so that it runs right after it.
@pytest.mark.django_db
def test_a_loop_finds_no_open_connection() -> None:
    async def find() -> list[BaseDatabaseWrapper]:
        return [one for one in connections.all(initialized_only=True) if one.connection]

    assert asyncio.run(find()) == []
