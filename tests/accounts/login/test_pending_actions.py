"""What a visitor pressed is done after the log-in: once, by that browser, by that person, or not at all."""

import random
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.contrib.messages import get_messages
from django.core import signing
from django.http import HttpResponse
from django.test import Client

from apps.accounts import pending_actions
from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import cookies, tokens
from apps.blog import likes
from apps.blog.models import Comment, Note
from apps.coupons.catalog import reminders
from apps.follows import graph
from apps.moderation.models import Report
from apps.saves.models import Save
from tests import factories
from tests.accounts import sms_recorder

pytestmark = pytest.mark.django_db
TOO_OLD = "What you pressed before the log-in is too old. Please press it again."


@pytest.fixture
def note(bob: User) -> Note:
    return factories.NoteFactory.create(author=bob)


def press(client: Client, path: str, *, htmx: bool = False, **fields: str) -> str:
    """Post a form as a visitor; return the address of the log-in page that it leads to."""
    answer = client.post(path, fields, headers={"hx-request": "true"} if htmx else {})
    url = answer.headers["HX-Redirect"] if htmx else answer.headers["Location"]
    assert url.startswith("/login/?")
    return url


def log_in(client: Client, person: User, login_url: str) -> HttpResponse:
    """Log in on the page that a press led to."""
    query = {name: value for name, (value,) in parse_qs(urlsplit(login_url).query).items()}
    client.get(login_url)
    client.post("/login/code/", {"phone": person.phone, **query})
    body = {"phone": person.phone, "code": sms_recorder.last_code(person.phone), **query}
    answer = client.post("/login/", body)
    assert answer.status_code == 302
    return answer  # type: ignore[return-value]


def said(answer: HttpResponse) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("htmx", [False, True])
def test_a_like_is_done_after_the_log_in_and_said(
    client: Client, alice: User, note: Note, htmx: bool
) -> None:
    path = f"/notes/{note.pk}/like/"
    answer = log_in(client, alice, press(client, path, htmx=htmx, next=f"/notes/{note.pk}/#likes"))
    assert likes.is_liked(note.pk, alice.pk)
    assert answer["Location"] == f"/notes/{note.pk}/#likes"
    assert said(answer) == ["You like this note."]


def test_what_was_on_stays_on(client: Client, alice: User, bob: User) -> None:
    """Without scripts the button turns what there was; a visitor can only have meant "on"."""
    graph.follow(alice.pk, bob.pk)
    log_in(client, alice, press(client, f"/people/{bob.pk}/follow/"))
    assert graph.is_following(alice.pk, bob.pk)


def test_each_button_of_a_visitor_is_done(client: Client, alice: User, bob: User, note: Note) -> None:
    sale = factories.FlashSaleFactory.create(coming=True)
    paths: dict[str, Callable[[], bool]] = {
        f"/people/{bob.pk}/follow/": lambda: graph.is_following(alice.pk, bob.pk),
        f"/saves/shop/{note.shop_id}/": lambda: Save.objects.filter(user=alice, shop=note.shop_id).exists(),
        f"/vouchers/{sale.pk}/remind/": lambda: reminders.is_wanted(sale.pk, alice.pk),
    }
    for path, is_done in paths.items():
        assert not is_done()
        log_in(client, alice, press(client, path))
        client.cookies.pop(cookies.TOKEN_COOKIE)
        assert is_done(), path


def test_a_comment_keeps_its_words(client: Client, alice: User, note: Note) -> None:
    text = "好吃！\nI'd come again <b>tomorrow</b> & bring everybody" * 10
    answer = log_in(client, alice, press(client, f"/notes/{note.pk}/comments/", text=text))
    assert Comment.objects.get(note=note, author=alice).text == text
    assert said(answer) == ["Your comment is there."]
    assert answer.cookies[pending_actions.DONE_COOKIE].value


def test_a_report_is_kept_when_the_log_in_had_ended(client: Client, alice: User, note: Note) -> None:
    client.cookies[cookies.TOKEN_COOKIE] = token = tokens.issue(alice, kind=AccessToken.Kind.PAGE)
    tokens.log_out(token)
    answer = log_in(
        client, alice, press(client, f"/report/note/{note.pk}/", reason="spam", text="Three times")
    )
    assert Report.objects.get(reporter=alice).text == "Three times"
    assert said(answer) == ["Thank you. We'll look at it and tell you what we did."]


def test_another_person_does_not_send_it(
    client: Client, alice: User, bob: User, charlie: User, note: Note
) -> None:
    client.cookies[cookies.TOKEN_COOKIE] = token = tokens.issue(alice, kind=AccessToken.Kind.PAGE)
    tokens.log_out(token)
    answer = log_in(client, charlie, press(client, f"/notes/{note.pk}/comments/", text="Mine"))
    assert not Comment.objects.exists()
    assert said(answer) == ["Another account pressed that before the log-in, so nothing was done."]


def test_it_is_done_once(client: Client, alice: User, note: Note) -> None:
    url = press(client, f"/notes/{note.pk}/comments/", text="Once")
    kept = client.cookies[pending_actions.COOKIE].value
    log_in(client, alice, url)
    client.cookies.pop(cookies.TOKEN_COOKIE)
    client.cookies[pending_actions.COOKIE] = kept
    answer = log_in(client, alice, url)
    assert Comment.objects.count() == 1
    assert said(answer) == ["What you pressed before the log-in was done already."]


def test_it_is_forgotten_after_a_quarter_of_an_hour(client: Client, alice: User, note: Note) -> None:
    with time_machine.travel("2026-11-26T12:00Z", tick=False) as clock:
        url = press(client, f"/notes/{note.pk}/like/")
        kept = client.cookies[pending_actions.COOKIE].value
        clock.shift(pending_actions.LIFETIME_SECONDS + 1)
        client.cookies[pending_actions.COOKIE] = kept
        answer = log_in(client, alice, url)
    assert not likes.is_liked(note.pk, alice.pk)
    assert said(answer) == [TOO_OLD]


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "x",
        "x" * 5_000,
        signing.dumps(["id"]),
        signing.dumps(["id"] * 5, salt="accounts.pending-action"),
    ],
    ids=["empty", "word", "long", "another salt", "another shape"],
)
def test_a_forged_cookie_does_nothing(client: Client, alice: User, note: Note, forged: str) -> None:
    url = press(client, f"/notes/{note.pk}/like/")
    client.cookies[pending_actions.COOKIE] = forged
    answer = log_in(client, alice, url)
    assert not likes.is_liked(note.pk, alice.pk)
    assert said(answer) == [TOO_OLD]


def test_a_link_from_somebody_else_does_nothing(client: Client, alice: User, note: Note) -> None:
    """Its sender's browser keeps the form; this one has none, or another one."""
    url = press(Client(), f"/notes/{note.pk}/like/")
    answer = log_in(client, alice, url)
    assert (likes.is_liked(note.pk, alice.pk), said(answer)) == (False, [TOO_OLD])
    client.cookies.clear()
    press(client, f"/notes/{note.pk}/comments/", text="Mine")
    log_in(client, alice, url)
    assert not Comment.objects.exists()


def test_a_log_in_by_another_way_does_not_send_it(client: Client, alice: User, note: Note) -> None:
    press(client, f"/notes/{note.pk}/like/")
    answer = log_in(client, alice, "/login/?next=/me/")
    assert (likes.is_liked(note.pk, alice.pk), said(answer)) == (False, [])
    assert client.cookies[pending_actions.COOKIE].value == ""


def test_opening_the_page_does_nothing(client: Client, alice: User, note: Note) -> None:
    url = press(client, f"/notes/{note.pk}/like/")
    client.cookies[cookies.TOKEN_COOKIE] = tokens.issue(alice, kind=AccessToken.Kind.PAGE)
    assert client.get(url).status_code == 302
    assert not likes.is_liked(note.pk, alice.pk)


def test_what_has_gone_meanwhile_is_said(client: Client, alice: User, note: Note) -> None:
    url = press(client, f"/notes/{note.pk}/comments/", text="Too late", next=f"/notes/{note.pk}/")
    note.delete()
    answer = log_in(client, alice, url)
    assert [len(text) > 10 for text in said(answer)] == [True]


def test_a_refused_comment_is_said(client: Client, alice: User, note: Note) -> None:
    answer = log_in(client, alice, press(client, f"/notes/{note.pk}/comments/", text=" "))
    assert said(answer) == ["That was not sent. Please look at it here, and send it again."]
    assert pending_actions.DONE_COOKIE not in answer.cookies


def test_what_is_too_long_for_a_cookie_is_not_kept(client: Client, note: Note) -> None:
    """The browser's own draft has it."""
    letters = random.Random(0)
    text = "".join(chr(0x4E00 + letters.randrange(20_000)) for _ in range(3_000))
    url = press(client, f"/notes/{note.pk}/comments/", text=text)
    assert pending_actions.PARAMETER not in url
    assert pending_actions.COOKIE not in client.cookies


def test_other_forms_are_not_kept(client: Client, note: Note) -> None:
    for path in (f"/notes/{note.pk}/delete/", "/me/delete/", "/login/sessions/1/end/"):
        client.post(path)
        assert pending_actions.COOKIE not in client.cookies
