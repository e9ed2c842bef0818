"""What is written in a chat and not sent is lost in no tab."""

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.chat import chats
from apps.chat.models import Message
from tests import chromium_pages
from tests.blog.writing.test_browser_composing import drawn
from tests.blog.writing.test_browser_drafts import wait_for_kept_files
from tests.page_opening import go_to, open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def field(page: Page) -> str:
    return page.get_by_role("textbox", name="Write a message").input_value()


def test_a_message_that_one_tab_could_not_send_outlives_another_tab(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    path = f"/chats/{chats.open_with(alice.pk, bob.pk).pk}/"
    page = open_page(page_at(360), alice, path)
    other = page.context.new_page()
    go_to(other, path)
    other.evaluate("window.fetch = () => Promise.reject(new TypeError()); 0")
    other.get_by_role("textbox", name="Write a message").fill("I bring cake")
    other.get_by_role("button", name="Send", exact=True).click()
    expect(other.get_by_role("button", name="Try again")).to_be_visible()
    page.get_by_role("textbox", name="Write a message").fill("And what")
    other.close()
    go_to(page, path)
    assert field(page) == "And what"
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".message--own").get_by_role("img", name="Sent")).to_be_visible()
    assert Message.objects.get(kind=Message.Kind.TEXT).text == "I bring cake"
    go_to(page, path)
    expect(page.get_by_role("button", name="Try again")).to_be_hidden()


def test_a_picture_that_was_not_sent_goes_after_a_reload(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    path = f"/chats/{chats.open_with(alice.pk, bob.pk).pk}/"
    page = open_page(page_at(360), alice, path)
    page.evaluate("window.fetch = () => Promise.reject(new TypeError()); 0")
    page.locator("[data-chat-form] [name=picture]").set_input_files(drawn(0))
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    wait_for_kept_files(page, "0.jpg")
    go_to(page, path)
    expect(page.locator("[data-picture]").last).to_contain_text("0.jpg")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".message--own").get_by_role("img", name="Sent")).to_be_visible()
    assert Message.objects.get(kind=Message.Kind.TEXT).picture
    wait_for_kept_files(page)


def test_a_refused_message_still_says_why_after_a_reload(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    path = f"/chats/{chats.open_with(alice.pk, bob.pk).pk}/"
    page = open_page(page_at(360), alice, path)
    suspensions.suspend(alice.pk, until=suspensions.FOR_GOOD, reason="Advertising")
    page.get_by_role("textbox", name="Write a message").fill("I bring cake")
    page.get_by_role("button", name="Send", exact=True).click()
    reason = page.locator(".message__error")
    expect(reason).to_contain_text("Reason: Advertising")
    go_to(page, path)
    expect(reason).to_contain_text("Reason: Advertising")
