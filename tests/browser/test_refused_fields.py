"""What a browser refuses before it sends a form is said in the page's language, beneath the field."""

import re

import pytest
from playwright.sync_api import StorageState, expect

from tests import chromium_pages
from tests.browser import site_browsers

pytestmark = pytest.mark.browser


def test_an_empty_field_is_named_in_the_pages_language_until_it_is_filled(
    visit: site_browsers.SiteBrowsers,
) -> None:
    page = visit(360, language="zh")
    page.goto("/login/")
    chromium_pages.wait_for_scripts(page)
    page.get_by_role("button", name="获取验证码").click()
    field = page.get_by_label("手机号")
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description(re.compile("^请填写此项。"))
    expect(page.get_by_text("请填写此项。")).to_be_visible()
    field.press_sequentially("1")
    expect(page.get_by_text("请填写此项。")).to_have_count(0)
    expect(field).not_to_have_attribute("aria-invalid", "true")


def test_a_choice_that_is_missing_is_named_once(
    visit: site_browsers.SiteBrowsers, state: StorageState
) -> None:
    page = visit(1280, state=state)
    note = site_browsers.first_link(page, "/notes/", ".note-card a[href^='/notes/']")
    page.goto(f"/report/note/{note.split('/')[2]}/")
    chromium_pages.wait_for_scripts(page)
    page.get_by_role("main").get_by_role("button", name="Report", exact=True).click()
    expect(page.get_by_text("Choose one.")).to_have_count(1)
    expect(page.get_by_role("radio").first).to_be_focused()
    page.get_by_role("radio").first.check()
    expect(page.get_by_text("Choose one.")).to_have_count(0)
