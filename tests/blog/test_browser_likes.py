"""Likes and comments in a real browser: as another person, by keyboard, while scrolling."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.blog import comments, likes, limits
from apps.blog.models import Note
from apps.redis_kit import limiter
from tests import chromium_pages
from tests.blog import makers
from tests.browser.site_browsers import LAYOUT_SHIFT_SCRIPT
from tests.factories import UserFactory
from tests.page_opening import open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def open_and_track_shifts(page: Page, user: User | None, path: str) -> Page:
    """A page that counts what moves on it."""
    page.add_init_script(LAYOUT_SHIFT_SCRIPT)
    return open_page(page, user, path)


def press_by_keyboard(page: Page, role: str, name: str) -> None:
    """Walk to a control with Tab, then press it."""
    wanted = page.get_by_role(role, name=name).first  # type: ignore[arg-type]
    for _ in range(80):
        page.keyboard.press("Tab")
        if wanted.evaluate("it => it === document.activeElement"):
            return page.keyboard.press("Enter")
    raise AssertionError(f"{name} can't be reached by Tab")


def button_positions(page: Page) -> list[list[float]]:
    """Where each card of the wall is on the page."""
    script = "cards => cards.map((it) => [it.offsetLeft, it.offsetTop, it.offsetWidth, it.offsetHeight])"
    return list(page.locator(".note-card").evaluate_all(script))


def forget_answer(page: Page) -> None:
    """Leave out the room that an answer took, as a browser does for half a second after a press."""
    page.evaluate("window.shifted = 0")


def stands_still(page: Page) -> bool:
    """Whether nothing has moved by itself, or sticks out at the side."""
    page.wait_for_load_state("networkidle")
    return page.evaluate("window.shifted") < 0.01 and chromium_pages.horizontal_overflow(page) == 0


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1280, "light")])
def test_a_like_by_keyboard_shows_among_the_first(
    page_at: chromium_pages.PageAt, alice: User, bob: User, width: int, theme: chromium_pages.Theme
) -> None:
    note = makers.note(alice)
    first, second = UserFactory.bulk_create(2)
    for person in (first, second):
        likes.like(note.pk, person.pk)
    page = open_and_track_shifts(page_at(width, theme=theme), bob, f"/notes/{note.pk}/")
    expect(page.locator("#likes")).to_contain_text(f"{first.nickname} and 1 other like this")
    press_by_keyboard(page, "button", "Like 2")
    heart = page.get_by_role("button", name="Like 3", pressed=True)
    expect(heart).to_be_focused()
    shown = [person.nickname for person in (first, second, bob)]
    expect(page.locator(".likes__first .sr-only")).to_have_text(shown)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Like 2", pressed=False)).to_be_focused()
    expect(page.locator(".likes__first li")).to_have_count(2)
    assert page.evaluate("window.stayed") is True
    assert stands_still(page)


def test_a_heart_on_a_card_is_pressed_in_its_place(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    first, second = makers.note(alice, title="First"), makers.note(alice, title="Second")
    page = open_and_track_shifts(page_at(360), bob, "/notes/")
    heart = page.locator(f"#card-heart-button-{first.pk}")
    heart.click()
    expect(heart).to_have_attribute("aria-pressed", "true")
    expect(heart).to_have_text("Like 1")
    expect(page.locator(f"#card-heart-button-{second.pk}")).to_have_text("Like 0")
    assert likes.for_notes([first], bob.pk)[first.pk].count == 0  # the row in hand is older than the like
    assert Note.objects.get(pk=first.pk).likes == 1
    assert page.evaluate("window.stayed") is True


def test_too_many_likes_are_refused_in_words(page_at: chromium_pages.PageAt, alice: User, bob: User) -> None:
    note = makers.note(alice)
    limiter.hit([(limits.LIKES, bob.pk)], cost=limits.LIKES.allowed)
    page = open_and_track_shifts(page_at(360), bob, "/notes/")
    page.locator(f"#card-heart-button-{note.pk}").click()
    expect(page.locator(".toast")).to_have_text(
        ["You have done this too often. Please wait a while and try again."]
    )
    expect(page.locator(f"#card-heart-button-{note.pk}")).to_have_attribute("aria-pressed", "false")


def test_a_visitor_is_led_to_the_log_in(page_at: chromium_pages.PageAt, alice: User) -> None:
    note = makers.note(alice)
    page = open_and_track_shifts(page_at(360), None, "/notes/?tab=new")
    page.locator(f"#card-heart-button-{note.pk}").click()
    page.wait_for_url("**/login/?next=%2Fnotes%2F%3Ftab%3Dnew&then=*")


@pytest.mark.parametrize("width", [360, 1280])
def test_the_wall_goes_on_while_one_scrolls(page_at: chromium_pages.PageAt, alice: User, width: int) -> None:
    now = timezone.now()
    for number in range(45):
        made = makers.note(alice, title=f"Note {number}", at=now - timedelta(minutes=number))
        made.photos.update(width=900, height=(600, 900, 1200)[number % 3])
    page = open_and_track_shifts(page_at(width), None, "/notes/")
    cards = page.locator(".note-card h3")
    placed = button_positions(page)
    for seen in (40, 45):
        page.locator(".load-more").scroll_into_view_if_needed()
        expect(cards).to_have_count(seen)
    assert cards.all_inner_texts() == [f"Note {number}" for number in range(45)]
    expect(page.get_by_text("That's all of them.")).to_be_visible()
    assert button_positions(page)[:20] == placed


def test_the_wall_fills_the_shortest_column(page_at: chromium_pages.PageAt, alice: User) -> None:
    now = timezone.now()
    for number, height in enumerate((1200, 600, 600)):
        made = makers.note(alice, at=now - timedelta(minutes=number))
        made.photos.update(width=900, height=height)
    page = open_and_track_shifts(page_at(360), None, "/notes/")
    boxes = [card.bounding_box() for card in page.locator(".note-card").all()]
    left, right, next_one = [box for box in boxes if box]
    assert left["height"] > right["height"]
    assert next_one["x"] == right["x"]
    assert next_one["y"] < left["y"] + left["height"]


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1280, "dark")])
def test_a_comment_and_a_reply_by_keyboard(
    page_at: chromium_pages.PageAt, alice: User, bob: User, width: int, theme: chromium_pages.Theme
) -> None:
    note = makers.note(alice)
    asked = comments.add(note.pk, alice, "Ask me anything")
    page = open_and_track_shifts(page_at(width, theme=theme), bob, f"/notes/{note.pk}/")
    page.get_by_label("Your comment").focus()
    page.keyboard.type("Is it loud?\nAnd in the evening?")
    assert stands_still(page)
    press_by_keyboard(page, "button", "Send")
    mine = page.locator("#comments-new .comment")
    expect(mine).to_contain_text("Is it loud?And in the evening?")
    expect(mine).to_be_focused()
    expect(page.locator("#comments-title .comments-count")).to_have_text("2")
    expect(page.get_by_label("Your comment")).to_have_value("")
    press_by_keyboard(page, "link", "Reply to Alice")
    field = page.get_by_label("Your reply to Alice")
    expect(field).to_be_focused()
    page.keyboard.type("Which dish?")
    forget_answer(page)
    press_by_keyboard(page, "button", "Reply")
    reply = page.locator(f"#replies-{asked.pk} .comment")
    expect(reply).to_contain_text("Which dish?")
    expect(reply).to_be_focused()
    expect(field).to_have_count(0)
    expect(page.locator("#comments-title .comments-count")).to_have_text("3")
    assert page.evaluate("window.stayed") is True
    forget_answer(page)
    assert stands_still(page)


def test_the_first_comment_ends_that_there_are_none(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    page = open_page(page_at(360), bob, f"/notes/{makers.note(alice).pk}/")
    expect(page.get_by_text("No comments yet.")).to_be_visible()
    page.get_by_label("Your comment").fill("Is it loud?")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#comments-new .comment")).to_be_visible()
    expect(page.get_by_text("No comments yet.")).to_be_hidden()


def test_a_comment_is_deleted_after_a_second_thought(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    note = makers.note(alice)
    comments.add(note.pk, bob, "Rude words")
    page = open_and_track_shifts(page_at(360), alice, f"/notes/{note.pk}/")
    sure = page.get_by_role("button", name="Yes, delete")
    expect(sure).to_be_hidden()
    # Shown once the page knows that its reader may; what is hidden takes no focus, and says nothing.
    expect(page.locator(".comment__delete summary")).to_be_visible()
    page.locator(".comment__delete summary").focus()
    page.keyboard.press("Enter")
    sure.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("This comment was deleted.")).to_be_visible()
    expect(page.locator(".comment")).to_be_focused()
    expect(page.locator("#comments-title .comments-count")).to_have_text("0")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Rude words")).to_be_visible()
    expect(page.locator(".comment")).to_be_focused()
    expect(page.locator("#comments-title .comments-count")).to_have_text("1")
    page.locator(".comment__delete summary").click()
    sure.click()
    expect(page.get_by_text("This comment was deleted.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("No comments yet.")).to_be_visible()


def test_all_comments_and_replies_can_be_read(page_at: chromium_pages.PageAt, alice: User, bob: User) -> None:
    note = makers.note(alice)
    asked = comments.add(note.pk, alice, "Ask me anything")
    for number in range(25):
        comments.add(note.pk, bob, f"Answer {number}", reply_to=asked.pk)
    for number in range(25):
        comments.add(note.pk, bob, f"Remark {number}")
    page = open_and_track_shifts(page_at(360), bob, f"/notes/{note.pk}/")
    page.get_by_label("Your comment").fill("Mine")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#comments-new")).to_contain_text("Mine")
    page.get_by_role("link", name="Show all 25 replies").click()
    page.get_by_role("link", name="Show more replies").click()
    replies = page.locator(f"#replies-{asked.pk} .comment__text")
    expect(replies).to_have_text([f"Answer {number}" for number in range(25)])
    page.get_by_role("link", name="Show more comments").click()
    expect(page.get_by_text("Remark 24")).to_be_visible()
    expect(page.get_by_text("Mine")).to_have_count(1)
    assert page.evaluate("window.stayed") is True


def test_a_refusal_stays_with_what_was_written(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    note = makers.note(alice)
    limiter.hit([(limits.COMMENTS, bob.pk)], cost=limits.COMMENTS.allowed)
    page = open_and_track_shifts(page_at(360), bob, f"/notes/{note.pk}/")
    page.get_by_label("Your comment").fill("One more thing")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("You have done this too often.")).to_be_visible()
    expect(page.get_by_label("Your comment")).to_have_value("One more thing")
    expect(page.get_by_label("Your comment")).to_have_attribute("aria-invalid", "true")


def test_a_phone_has_the_note_s_actions_at_its_foot_with_numbers(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    note = makers.note(alice, text="A long read. " * 300)
    likes.like(note.pk, alice.pk)
    comments.add(note.pk, alice, "Ask me anything")
    page = open_page(page_at(360), bob, note.get_absolute_url())
    foot = page.locator(".note__foot")
    heart, to_comments = foot.locator(".heart__button"), foot.get_by_role("link", name="Comments")
    expect(page.locator(".tabbar")).to_be_hidden()
    expect(foot).to_be_in_viewport(ratio=1)
    expect(heart).to_have_text(re.compile(r"1\s*$"))
    heart.click()
    expect(heart).to_have_text(re.compile(r"2\s*$"))
    expect(page.locator(".likes__first li")).to_have_count(2)
    expect(to_comments).to_have_text(re.compile(r"1\s*$"))
    to_comments.click()
    page.get_by_label("Your comment").fill("Is it loud?")
    page.get_by_role("button", name="Send").click()
    expect(to_comments).to_have_text(re.compile(r"2\s*$"))
    assert chromium_pages.horizontal_overflow(page) == 0
