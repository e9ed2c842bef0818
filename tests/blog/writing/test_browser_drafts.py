"""What people write is theirs until it is sent: through a reload, a log-in that ended, a lost line."""

import re

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.accounts.sessions import cookies, tokens
from apps.blog.models import Comment, Note
from tests import chromium_pages, factories
from tests.accounts import sms_recorder
from tests.blog import makers
from tests.blog.writing.test_browser_composing import add, drawn, tiles, write
from tests.page_opening import go_to, open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SAVED, BACK = "Draft saved on this device.", "Your draft is back."
KEPT_DRAFTS = "Object.keys(localStorage).filter((key) => key.startsWith('savor-draft:'))"


@pytest.fixture(autouse=True)
def post_office(settings: Settings) -> None:
    settings.SMS_SENDER = "tests.accounts.sms_recorder.RecordingSender"
    sms_recorder.messages.clear()


def log_in(page: Page, person: User) -> None:
    """On the log-in page."""
    page.get_by_label("Phone number").fill(person.phone)
    page.get_by_role("button", name="Send me a code").click()
    chromium_pages.wait_for_scripts(page)
    expect(page.get_by_label("Code")).to_be_visible()
    with page.expect_navigation():
        page.get_by_label("Code").fill(sms_recorder.last_code(person.phone))


def end_log_in(page: Page) -> None:
    """As on another device: the browser still has its cookie."""
    (token,) = [one["value"] for one in page.context.cookies() if one["name"] == cookies.TOKEN_COOKIE]
    assert tokens.log_out(token) == 1


def expect_words(page: Page) -> None:
    expect(page.get_by_text(BACK)).to_be_visible()
    expect(page.get_by_label("Title")).to_have_value("Broth that forgives")
    expect(page.get_by_label("Your note")).to_have_value("We waited ten minutes.\n\nWe would wait an hour.")
    expect(page.get_by_role("radio", name="4 stars").first).to_be_checked()
    expect(tiles(page)).to_have_count(2)


def test_a_note_outlives_a_reload_and_a_log_in_that_ended(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    path = f"/notes/new/?shop={makers.shop().pk}"
    page = open_page(page_at(360), alice, path)
    add(page, drawn(0), drawn(1))
    write(page)
    expect(tiles(page)).to_have_count(2)
    expect(page.get_by_text(SAVED)).to_be_visible()
    page.reload()
    expect_words(page)
    end_log_in(page)
    page.get_by_role("button", name="Publish").click()
    page.wait_for_url("**/login/**")
    log_in(page, alice)
    page.wait_for_url(f"**{path}")
    expect_words(page)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Broth that forgives")).to_be_visible()
    # The page that a sent form leads to takes its draft away.
    chromium_pages.wait_for_scripts(page)
    note = Note.objects.published().get()
    assert (note.rating, note.photos.count()) == (4, 2)
    go_to(page, path)
    expect(page.get_by_label("Title")).to_have_value("")
    assert page.evaluate(KEPT_DRAFTS) == []


def test_a_draft_is_thrown_away_and_brought_back(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = open_page(page_at(1280, theme="dark"), alice, f"/notes/new/?shop={makers.shop().pk}")
    add(page, drawn(0), drawn(1))
    write(page)
    expect(tiles(page)).to_have_count(2)
    expect(page.get_by_text(SAVED)).to_be_visible()
    page.get_by_role("button", name="Throw it away").click()
    expect(page.get_by_label("Title")).to_have_value("")
    expect(tiles(page)).to_have_count(0)
    assert page.evaluate(KEPT_DRAFTS) == []
    page.get_by_role("button", name="Bring it back").click()
    expect_words(page)
    page.get_by_role("button", name="Throw it away").click()
    page.reload()
    chromium_pages.wait_for_scripts(page)
    expect(page.get_by_label("Title")).to_have_value("")


def test_a_visitors_comment_is_sent_after_the_log_in(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    note = factories.NoteFactory.create(author=bob)
    page = open_page(page_at(360), None, note.get_absolute_url())
    page.get_by_label("Your comment").fill("好吃！ I was there & liked it")
    page.get_by_role("button", name="Log in and send").click()
    page.wait_for_url("**/login/**")
    expect(page.get_by_text("What you pressed is done right after the log-in.")).to_be_visible()
    log_in(page, alice)
    expect(page.get_by_text("Your comment is there.")).to_be_visible()
    assert Comment.objects.get().text == "好吃！ I was there & liked it"
    go_to(page, note.get_absolute_url())
    chromium_pages.wait_for(page, "document.documentElement.dataset.reader === 'person'")
    expect(page.get_by_label("Your comment")).to_have_value("")
    assert page.evaluate(KEPT_DRAFTS) == []


def test_a_heart_of_a_visitor_beats_after_the_log_in(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    note = factories.NoteFactory.create(author=bob)
    page = open_page(page_at(360), None, note.get_absolute_url())
    page.locator(".note__foot .heart__button").click()
    page.wait_for_url("**/login/**")
    log_in(page, alice)
    page.wait_for_url(re.compile(rf".*{note.get_absolute_url()}.*"))
    expect(page.get_by_text("You like this note.")).to_be_visible()
    expect(page.locator(".note__foot .heart__button")).to_have_attribute("aria-pressed", "true")


def test_a_form_waits_for_the_line(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = open_page(page_at(360), alice, "/me/edit/")
    # Modules that come by themselves are there before the line is cut.
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.get_by_label("About me").fill("Noodles before noon")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("You are offline. What you wrote is kept here")).to_be_visible()
    page.context.set_offline(False)
    page.reload()
    expect(page.get_by_text(BACK)).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    chromium_pages.wait_for_scripts(page)
    alice.refresh_from_db()
    assert alice.bio == "Noodles before noon"
    go_to(page, "/me/edit/")
    expect(page.get_by_text(BACK)).to_be_hidden()


def test_a_draft_is_its_persons_alone_and_ends_with_the_log_out(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    page = open_page(page_at(360), alice, "/me/edit/")
    page.get_by_label("About me").fill("Only mine")
    expect(page.get_by_text(SAVED)).to_be_visible()
    open_page(page, bob, "/me/edit/")
    expect(page.get_by_label("About me")).to_have_value("")
    expect(page.get_by_text(BACK)).to_be_hidden()
    open_page(page, alice, "/me/edit/")
    expect(page.get_by_label("About me")).to_have_value("Only mine")
    go_to(page, "/me/")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out.")).to_be_visible()
    assert page.evaluate(KEPT_DRAFTS) == []


def test_a_refused_form_keeps_what_the_server_was_sent(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = open_page(page_at(360), alice, f"/notes/new/?shop={makers.shop().pk}")
    page.get_by_label("Title").fill("No stars")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#photos ~ fieldset .field__error").first).to_be_visible()
    expect(page.get_by_label("Title")).to_have_value("No stars")
    expect(page.get_by_text(BACK)).to_be_hidden()
    page.reload()
    expect(page.get_by_label("Title")).to_have_value("No stars")


def test_no_secret_is_kept(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = open_page(page_at(360), alice, "/me/edit/")
    page.evaluate(
        """
        () => {
          const form = document.querySelector("[data-draft]");
          const secrets = [["password", "a"], ["text", "token"], ["text", "code"], ["hidden", "b"]];
          for (const [type, name] of secrets) {
            form.append(Object.assign(document.createElement("input"), { type, name, value: "secret" }));
          }
        }
        """
    )
    page.get_by_label("About me").fill("Open")
    expect(page.get_by_text(SAVED)).to_be_visible()
    (kept,) = page.evaluate(f"{KEPT_DRAFTS}.map((key) => localStorage.getItem(key))")
    assert "Open" in kept
    assert "secret" not in kept


def test_of_two_tabs_the_one_that_is_not_sent_keeps_its_words(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    path = f"/notes/new/?shop={makers.shop().pk}"
    page = open_page(page_at(360), alice, path)
    other = page.context.new_page()
    go_to(other, path)
    for tab in (page, other):
        chromium_pages.wait_for(tab, "document.documentElement.dataset.reader === 'person'")
    other.get_by_label("Title").fill("Of the other tab")
    chromium_pages.wait_for(other, f"{KEPT_DRAFTS}.length === 1")
    write(page)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Broth that forgives")).to_be_visible()
    chromium_pages.wait_for(
        page, f"{KEPT_DRAFTS}.some((key) => localStorage.getItem(key).includes('Of the other'))"
    )
    other.reload()
    expect(other.get_by_text(BACK)).to_be_visible()
    expect(other.get_by_label("Title")).to_have_value("Of the other tab")


def test_a_log_out_in_another_tab_takes_the_words_along(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = open_page(page_at(360), alice, "/me/edit/")
    other = page.context.new_page()
    go_to(other, "/me/edit/")
    other.get_by_label("About me").fill("Of the other tab")
    expect(other.get_by_text(SAVED)).to_be_visible()
    page.get_by_label("About me").fill("Only mine")
    expect(page.get_by_text(SAVED)).to_be_visible()
    go_to(page, "/me/")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out.")).to_be_visible()
    expect(other.get_by_label("About me")).to_have_value("")
    assert page.evaluate(KEPT_DRAFTS) == []


def test_who_goes_back_to_a_form_does_not_read_another_persons_words(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    page = open_page(page_at(360), alice, "/me/edit/")
    page.get_by_label("About me").fill("Only Alice's")
    expect(page.get_by_text(SAVED)).to_be_visible()
    open_page(page, bob, "/me/")
    page.go_back()
    page.go_back()
    chromium_pages.wait_for_scripts(page)
    chromium_pages.wait_for(page, "document.documentElement.dataset.reader === 'person'")
    expect(page.get_by_label("About me")).to_have_value("")
    assert page.evaluate(KEPT_DRAFTS) == [f"savor-draft:{alice.pk}:profile"]


def test_a_page_that_stays_open_is_emptied_for_another_reader(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    note = factories.NoteFactory.create(author=bob)
    page = open_page(page_at(360), alice, note.get_absolute_url())
    page.get_by_label("Your comment").fill("Only Alice's")
    expect(page.get_by_text(SAVED)).to_be_visible()
    other = page.context.new_page()
    open_page(other, bob, "/me/")
    # As when it comes back from the browser's memory: it asks who reads.
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(page.get_by_label("Your comment")).to_have_value("")
    page.get_by_label("Your comment").fill("Only Bob's")
    expect(page.get_by_text(SAVED)).to_be_visible()
    assert len(page.evaluate(KEPT_DRAFTS)) == 2


def test_what_is_written_before_the_reader_is_known_is_said_to_be_kept(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    note = factories.NoteFactory.create(author=bob)
    page, held = page_at(360), list[Route]()
    page.route("**/api/me/page?**", lambda route: held.append(route), times=1)
    open_page(page, alice, note.get_absolute_url())
    while not held:
        page.wait_for_timeout(50)
    page.get_by_label("Your comment").fill("Early words")
    held[0].continue_()
    expect(page.get_by_text(SAVED)).to_be_visible()
    assert len(page.evaluate(KEPT_DRAFTS)) == 1


def test_a_refused_comment_is_kept_until_it_is_thrown_away(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    note = factories.NoteFactory.create(author=bob)
    page = open_page(page_at(360), alice, note.get_absolute_url())
    chromium_pages.wait_for(page, "document.documentElement.dataset.reader === 'person'")
    blocks.block(bob.pk, alice.pk)
    page.get_by_label("Your comment").fill("Are you there?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("You can't answer this person.")).to_be_visible()
    page.get_by_label("Your comment").press("End")
    page.get_by_label("Your comment").press("!")
    page.get_by_label("Your comment").press("Backspace")
    assert len(page.evaluate(KEPT_DRAFTS)) == 1
    page.get_by_role("button", name="Throw it away").click()
    expect(page.get_by_label("Your comment")).to_have_value("")
    assert page.evaluate(KEPT_DRAFTS) == []


KEPT_FILES = """
  new Promise((resolve) => {
    const opening = indexedDB.open("savor-files", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("files", { keyPath: "id" });
    opening.onsuccess = () => {
      const asking = opening.result.transaction("files").objectStore("files").getAll();
      asking.onsuccess = () => resolve(asking.result.map((kept) => kept.file.name).sort().join());
      opening.result.close();
    };
  })
"""


def wait_for_kept_files(page: Page, *names: str) -> None:
    """Until the browser keeps these files, and no others."""
    chromium_pages.wait_for(page, f"{KEPT_FILES}.then((names) => names === '{','.join(names)}')")


def cut_photos_off(page: Page, *, after: int) -> None:
    """Let the first photos through; every later one finds no line."""
    seen: list[Route] = []

    def answer(route: Route) -> None:
        seen.append(route)
        if len(seen) <= after:
            route.continue_()
        else:
            route.abort("internetdisconnected")

    page.route("**/notes/photos/", answer)


def test_four_photos_outlive_a_line_lost_in_the_middle_and_a_reload(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    page = open_page(page_at(360), alice, f"/notes/new/?shop={makers.shop().pk}")
    cut_photos_off(page, after=1)
    add(page, *map(drawn, range(4)))
    write(page)
    expect(tiles(page)).to_have_count(1)
    expect(tiles(page, "failed")).to_have_count(3)
    wait_for_kept_files(page, "1.jpg", "2.jpg", "3.jpg")
    page.unroute("**/notes/photos/")
    page.reload()
    expect(tiles(page)).to_have_count(4)
    wait_for_kept_files(page)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Broth that forgives")).to_be_visible()
    assert Note.objects.published().get().photos.count() == 4


def test_a_photo_that_arrives_while_it_is_put_aside_is_not_kept(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    page = open_page(page_at(360), alice, f"/notes/new/?shop={makers.shop().pk}")
    page.evaluate(
        """async () => {
          const files = await import("/static/js/kept_files.js"), file = new File(["photo"], "0.jpg");
          const keeping = files.keep("draft", file);
          await files.drop(files.idOf(file));
          await keeping;
        }"""
    )
    wait_for_kept_files(page)


def test_photos_go_by_themselves_when_the_line_is_back(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = open_page(page_at(360), alice, f"/notes/new/?shop={makers.shop().pk}")
    cut_photos_off(page, after=1)
    add(page, drawn(0), drawn(1), drawn(2))
    expect(tiles(page, "failed")).to_have_count(2)
    page.unroute("**/notes/photos/")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(tiles(page)).to_have_count(3)


def test_a_photo_that_the_browser_lost_is_named_and_holds_the_note_back(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    page = open_page(page_at(360), alice, f"/notes/new/?shop={makers.shop().pk}")
    cut_photos_off(page, after=1)
    add(page, drawn(0), drawn(1))
    write(page)
    expect(tiles(page, "failed")).to_have_count(1)
    wait_for_kept_files(page, "1.jpg")
    page.goto("about:blank")
    page.goto("/robots.txt")  # no script of the site has its files open here
    page.evaluate("() => new Promise((done) => (indexedDB.deleteDatabase('savor-files').onsuccess = done))")
    page.go_back()
    page.go_back()
    expect(tiles(page, "failed")).to_contain_text("“1.jpg” is no longer in this browser")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".toast--error")).to_contain_text("Some photos did not arrive")
    assert not Note.objects.published().exists()
    tiles(page, "failed").get_by_role("button", name="Remove this photo").click()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Broth that forgives")).to_be_visible()


def test_photos_end_with_their_draft_and_with_the_log_out(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    path = f"/notes/new/?shop={makers.shop().pk}"
    page = open_page(page_at(360), alice, path)
    page.route("**/notes/photos/", lambda route: route.abort())
    add(page, drawn(0))
    expect(tiles(page, "failed")).to_have_count(1)
    wait_for_kept_files(page, "0.jpg")
    page.get_by_role("button", name="Throw it away").click()
    wait_for_kept_files(page)
    page.get_by_role("button", name="Bring it back").click()
    expect(tiles(page, "failed")).to_have_count(1)
    wait_for_kept_files(page, "0.jpg")
    go_to(page, "/me/")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out.")).to_be_visible()
    wait_for_kept_files(page)


def test_the_picture_of_a_refused_form_is_chosen_still(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = open_page(page_at(360), alice, "/me/edit/")
    page.get_by_label("Picture").set_input_files(drawn(0))
    page.get_by_label("Nickname").fill("")
    page.evaluate("document.querySelector('[data-draft]').noValidate = true")
    wait_for_kept_files(page, "0.jpg")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".field__error").first).to_be_visible()
    expect(page.locator("[data-file-name]")).to_have_text("0.jpg")
    expect(page.locator("[data-choose-again]")).to_have_count(0)
    page.get_by_label("Nickname").fill("Alice in pictures")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    alice.refresh_from_db()
    assert alice.avatar
    wait_for_kept_files(page)
