"""Two people write to each other in two browsers at once."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import chromium_pages, sites
from tests.browser import site_browsers
from tests.browser.neighbours import Neighbour

pytestmark = pytest.mark.browser


def open_chat(mine: Page, theirs: Page, phones: tuple[str, str]) -> None:
    """Log both in; the first opens the chat with the second, who then opens it from the list."""
    for page, phone in zip((theirs, mine), reversed(phones), strict=True):
        page.goto("/login/?next=/me/")
        site_browsers.log_in(page, phone)
    theirs.goto("/me/")
    profile = theirs.get_by_role("link", name="As others see me").get_attribute("href")
    mine.goto(profile or "")
    with mine.expect_navigation():
        mine.get_by_role("button", name="Message", exact=True).click()
    chromium_pages.wait_for_scripts(mine)


def room(page: Page) -> Locator:
    """Return the messages of the open chat, without the list of chats beside them."""
    return page.get_by_role("log")


def write(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Write a message").fill(text)
    page.get_by_role("button", name="Send", exact=True).click()


@pytest.mark.journey
def test_a_message_arrives_in_the_other_open_page(visit: site_browsers.SiteBrowsers) -> None:
    mine, theirs = visit(theme="dark"), visit(1280)
    open_chat(mine, theirs, ("+8613800036011", "+8613800036012"))
    write(mine, "Dumplings tonight?")
    expect(mine.locator(".message--own").get_by_role("img", name="Sent")).to_be_visible()
    theirs.goto("/chats/")
    with theirs.expect_navigation():
        theirs.locator("#chat-rows").get_by_role("link", name=re.compile("Diner")).click()
    chromium_pages.wait_for_scripts(theirs)
    expect(room(theirs).get_by_text("Dumplings tonight?")).to_be_visible()
    write(theirs, "At seven!")
    expect(mine.get_by_text("At seven!")).to_be_visible()
    for page in (mine, theirs):
        assert chromium_pages.horizontal_overflow(page) == 0
    # A draft survives a reload, and a lost connection keeps what was sent for another try.
    mine.get_by_role("textbox", name="Write a message").fill("I bring")
    mine.reload()
    chromium_pages.wait_for_scripts(mine)
    expect(mine.get_by_role("textbox", name="Write a message")).to_have_value("I bring")
    mine.evaluate("window.sending = window.fetch; window.fetch = () => Promise.reject(new TypeError()); 0")
    write(mine, "I bring cake")
    again = mine.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    mine.evaluate("window.fetch = window.sending; 0")
    again.click()
    expect(room(theirs).get_by_text("I bring cake")).to_have_count(1)
    expect(again).to_be_hidden()


def test_the_other_chats_stand_beside_an_open_one(
    visit: site_browsers.SiteBrowsers, city: sites.Site, resident: site_browsers.Resident
) -> None:
    me, (near, far) = int(resident.page.split("/")[2]), (Neighbour(city, f"+861390000118{n}") for n in (0, 1))
    chats = {other: other.send("POST", "/api/chats", member_ids=[me])["id"] for other in (near, far)}

    def receive(other: Neighbour, text: str) -> None:
        other.send("POST", f"/api/chats/{chats[other]}/messages", text=text, client_id=text)

    receive(near, "Noodles?")
    page = visit(1280, state=resident.state)
    page.goto(f"/chats/{chats[near]}/")
    beside = page.get_by_role("navigation", name="Chats")
    rows = {other: beside.locator(f".chat-row:has(#chat-{chats[other]})") for other in chats}
    expect(beside.locator("[aria-current=page]")).to_have_attribute("id", f"chat-{chats[near]}")
    chromium_pages.wait_for_scripts(page)
    page.get_by_role("textbox", name="Write a message").fill("I bring")
    # A line of the list keeps the keyboard while the list is drawn anew.
    rows[near].get_by_role("link").focus()
    receive(far, "At six?")
    expect(rows[far]).to_contain_text("At six?")
    expect(rows[far].locator(".badge")).to_have_text(re.compile(r"^\s*1\s*unread"))
    expect(rows[near].locator(".badge")).to_have_count(0)
    expect(rows[near].get_by_role("link")).to_be_focused()
    with page.expect_navigation():
        rows[far].get_by_role("link").click()
    expect(room(page).get_by_text("At six?")).to_be_visible()
    expect(page.get_by_role("textbox", name="Write a message")).to_have_value("")
    with page.expect_navigation():
        rows[near].get_by_role("link").click()
    expect(page.get_by_role("textbox", name="Write a message")).to_have_value("I bring")
    expect(rows[far].locator(".badge")).to_have_count(0)


def test_a_phone_does_not_load_the_chats_beside_an_open_one(
    visit: site_browsers.SiteBrowsers, city: sites.Site, resident: site_browsers.Resident
) -> None:
    other = Neighbour(city, "+8613900001182")
    chat = other.send("POST", "/api/chats", member_ids=[int(resident.page.split("/")[2])])["id"]
    page, loaded = visit(state=resident.state), list[str]()
    page.on("request", lambda request: loaded.append(urlsplit(request.url).path))
    page.goto(f"/chats/{chat}/")
    chromium_pages.wait_for_scripts(page)
    other.send("POST", f"/api/chats/{chat}/messages", text="Noodles?", client_id="1")
    expect(room(page).get_by_text("Noodles?")).to_be_visible()
    expect(page.get_by_role("navigation", name="Chats")).to_be_hidden()
    assert "/chats/" not in loaded


def test_a_chat_works_in_chinese_without_scripts(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(360, language="zh", scripts=False)
    page.goto("/login/?next=/chats/")
    page.get_by_label("手机号").fill("+8613800000100")
    page.get_by_role("button", name="获取验证码").click()
    found = re.search(r"\d{6}", page.get_by_text(re.compile("你的验证码是")).inner_text())
    assert found
    page.get_by_label("验证码").fill(found[0])
    page.get_by_role("button", name="登录", exact=True).click()
    page.get_by_role("link", name="Friday dinner").click()
    page.get_by_role("textbox", name="写消息").fill("我也来！")
    page.get_by_role("button", name="发送").click()
    expect(page.locator(".message--own").last).to_contain_text("我也来！")


def test_a_name_is_offered_for_a_group_alone(visit: site_browsers.SiteBrowsers) -> None:
    page = visit(360)
    page.goto("/login/?next=/chats/new/")
    site_browsers.log_in(page, "+8613800000100")
    chromium_pages.wait_for_scripts(page)
    name = page.get_by_label(re.compile("Name of the group"))
    start = page.get_by_role("button", name="Start chat")
    expect(start).to_be_hidden()
    expect(name).to_be_hidden()
    people = page.get_by_role("checkbox")
    people.nth(0).check()
    expect(start).to_be_in_viewport()
    expect(name).to_be_hidden()
    people.nth(1).check()
    expect(name).to_be_visible()
    page.get_by_label("Find somebody you follow").press_sequentially("zzz")
    expect(people).to_have_count(2)
    expect(name).to_be_visible()
