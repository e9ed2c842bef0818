"""A manager's phone takes a filtered list along; when too many do, it says so and the filter stays."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.adminkit import exports
from apps.coupons.models import FlashSale, Voucher
from tests import chromium_pages
from tests.page_opening import open_admin_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
FILTERED = "/admin/coupons/voucher/?q=half"


@pytest.fixture
def phone(page_at: chromium_pages.PageAt, manager: User, sale: FlashSale, voucher: Voucher) -> Page:
    """The manager's, at the list of vouchers with the one of the sale."""
    page = open_admin_page(page_at(360), manager, FILTERED)
    page.get_by_text("more_horiz").click()
    return page


def test_the_file_holds_what_the_list_shows(phone: Page) -> None:
    with phone.expect_download() as download:
        phone.get_by_role("link", name="Export as CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    assert download.value.suggested_filename.startswith("voucher-")
    assert "Noodles at half price" in text
    assert "Noodles for two" not in text


def test_the_third_reads_a_sentence_above_the_same_list(phone: Page) -> None:
    taken = [exports.CONCURRENT_EXPORTS.acquire(wait=0) for _ in range(exports.CONCURRENT_EXPORTS.permits)]
    phone.get_by_role("link", name="Export as CSV").click()
    expect(phone.get_by_text("2 exports are running right now. Try again in a minute.")).to_be_visible()
    assert phone.url.endswith(FILTERED)
    assert chromium_pages.horizontal_overflow(phone) == 0
    for permit in taken:
        assert permit
        permit.release()
