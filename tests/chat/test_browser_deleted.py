"""The words of a deleted message come back in its author's tab alone."""

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.chat import chats
from apps.chat.models import Message
from tests import chromium_pages
from tests.page_opening import go_to, open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def write_and_delete(page: Page, words: str) -> None:
    page.get_by_role("textbox", name="Write a message").fill(words)
    page.get_by_role("button", name="Send", exact=True).click()
    page.locator(".message--own:not([data-state]) summary").click()
    page.get_by_role("button", name="Delete for everybody").click()
    expect(page.get_by_text("This message was deleted.")).to_be_visible()


def test_deleted_words_go_back_into_the_field(page_at: chromium_pages.PageAt, alice: User, bob: User) -> None:
    path = f"/chats/{chats.open_with(alice.pk, bob.pk).pk}/"
    page = open_page(page_at(360), alice, path)
    again, field = page.get_by_role("button", name="Write it again"), page.get_by_role("textbox")
    write_and_delete(page, "Dumplings\nat six?")
    expect(again).to_be_visible()
    box = again.bounding_box()
    assert box
    assert box["height"] >= 44
    go_to(page, path)
    field.fill("Well:")
    again.click()
    expect(again).to_be_hidden()
    expect(field).to_be_focused()
    go_to(page, path)
    expect(field).to_have_value("Well:\nDumplings\nat six?")
    expect(again).to_be_hidden()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("img", name="Sent")).to_be_visible()
    assert Message.objects.latest("number").text == "Well:\nDumplings\nat six?"


def test_words_without_room_in_the_field_wait(page_at: chromium_pages.PageAt, alice: User, bob: User) -> None:
    page = open_page(page_at(360), alice, f"/chats/{chats.open_with(alice.pk, bob.pk).pk}/")
    again, field = page.get_by_role("button", name="Write it again"), page.get_by_role("textbox")
    write_and_delete(page, "Dumplings")
    limit = int(field.get_attribute("maxlength") or 0)
    field.fill("a" * (limit - 5))
    again.click()
    expect(field).to_have_value("a" * (limit - 5) + "\nDump")
    field.fill("")
    again.click()
    expect(field).to_have_value("lings")
    expect(again).to_be_hidden()


def test_nobody_else_sees_deleted_words(page_at: chromium_pages.PageAt, alice: User, bob: User) -> None:
    path = f"/chats/{chats.open_with(alice.pk, bob.pk).pk}/"
    page, other = open_page(page_at(360), alice, path), open_page(page_at(360), bob, path)
    write_and_delete(page, "Dumplings?")
    go_to(other, path)
    expect(other.get_by_text("This message was deleted.")).to_be_visible()
    expect(other.get_by_role("button", name="Write it again")).to_be_hidden()
    open_page(page, bob, path)
    expect(page.get_by_text("This message was deleted.")).to_be_visible()
    expect(page.get_by_role("button", name="Write it again")).to_be_hidden()
    assert "Dumplings" not in page.evaluate("JSON.stringify(sessionStorage)")


def test_a_log_out_in_another_tab_takes_deleted_words_along(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    page = open_page(page_at(360), alice, f"/chats/{chats.open_with(alice.pk, bob.pk).pk}/")
    write_and_delete(page, "Dumplings?")
    expect(page.get_by_role("button", name="Write it again")).to_be_visible()
    tab = page.context.new_page()
    go_to(tab, "/me/")
    with tab.expect_navigation():
        tab.locator("[data-draft-end] button").click()
    expect(page.get_by_role("button", name="Write it again")).to_be_hidden()
    assert "Dumplings" not in page.evaluate("JSON.stringify(sessionStorage)")
