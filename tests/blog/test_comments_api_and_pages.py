"""Comments through the API and through pages."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.blog import comments, limits
from apps.blog.models import Comment, Note
from apps.redis_kit import limiter
from tests import markup
from tests.blog import makers
from tests.coupons import buyers

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def test_comments_of_the_api(client: Client, alice: User, bob: User) -> None:
    note = makers.note(alice)
    path = f"/api/notes/{note.pk}/comments"
    asked = buyers.api_client(bob).post(path, {"text": " Loud? "}, content_type="application/json")
    assert asked.status_code == 201
    answer = {"text": "No.", "reply_to": asked.json()["id"]}
    replied = buyers.api_client(alice).post(path, answer, content_type="application/json").json()
    (shown,) = client.get(path).json()["items"]
    assert (shown["text"], shown["reply_count"], shown["author"]["nickname"]) == ("Loud?", 1, "Bob")
    assert shown["replies"][0] == {key: replied[key] for key in shown["replies"][0]}
    assert (replied["parent_id"], replied["mentions"]) == (shown["id"], None)
    late = {"text": "Thanks.", "reply_to": replied["id"]}
    thanks = buyers.api_client(bob).post(path, late, content_type="application/json").json()
    assert (thanks["parent_id"], thanks["mentions"]["nickname"]) == (shown["id"], "Alice")
    replies = client.get(f"/api/comments/{shown['id']}/replies").json()
    assert [one["text"] for one in replies["items"]] == ["No.", "Thanks."]


@pytest.mark.both_databases
def test_pages_of_comments(client: Client, alice: User) -> None:
    note = makers.note(alice)
    for number in range(25):
        comments.add(note.pk, alice, str(number))
    first = client.get(f"/api/notes/{note.pk}/comments").json()
    second = client.get(f"/api/notes/{note.pk}/comments", {"cursor": first["next"]}).json()
    said = [one["text"] for one in first["items"] + second["items"]]
    assert said == [str(number) for number in range(25)]
    assert second["next"] is None
    assert client.get(f"/api/notes/{note.pk}/comments", {"cursor": "x"}).status_code == 422
    assert client.get(f"/notes/{note.pk}/comments/", {"cursor": "x"}).status_code == 422


def test_a_comment_is_deleted_by_its_writer_or_the_author(
    client: Client, alice: User, bob: User, charlie: User
) -> None:
    note = makers.note(alice)
    paths = [f"/api/comments/{comments.add(note.pk, bob, 'Hm').pk}" for _ in range(2)]
    assert client.delete(paths[0]).status_code == 401
    assert buyers.api_client(charlie).delete(paths[0]).status_code == 403
    assert [buyers.api_client(bob).delete(paths[0]).status_code for _ in range(2)] == [204, 204]
    assert buyers.api_client(alice).delete(paths[1]).status_code == 204
    assert buyers.api_client(alice).delete("/api/comments/10000").status_code == 404
    note.refresh_from_db()
    assert note.comments == 0


@pytest.mark.both_databases
def test_a_deletion_is_undone_by_whoever_deleted(alice: User, bob: User, charlie: User) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, bob, "Hm")
    path, browser = f"/api/comments/{made.pk}", buyers.browser_client(bob)
    assert buyers.api_client(bob).post(f"{path}/restore").status_code == 404
    buyers.api_client(bob).delete(path)
    assert [buyers.api_client(one).post(f"{path}/restore").status_code for one in (alice, charlie)] == [
        404,
        404,
    ]
    assert buyers.api_client(bob).post(f"{path}/restore").json()["text"] == "Hm"
    drawn = markup.compact(browser.post(f"/comments/{made.pk}/delete/", headers=HTMX).content)
    assert f'hx-post="/comments/{made.pk}/restore/"' in drawn
    back = markup.compact(browser.post(f"/comments/{made.pk}/restore/", headers=HTMX).content)
    assert ">Hm<" in back
    assert 'hx-swap-oob="innerHTML:.comments-count">1<' in back
    browser.post(f"/comments/{made.pk}/delete/")
    answer = browser.post(f"/comments/{made.pk}/restore/")
    assert (answer.status_code, answer.url) == (302, f"/comments/{made.pk}/#comment-{made.pk}")  # type: ignore[attr-defined]


def test_nobody_undoes_the_deletion_of_a_note_that_is_gone(alice: User, bob: User) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, bob, "Hm")
    comments.delete(made, by=bob)
    Note.objects.update(status=Note.Status.DELETED)
    assert buyers.api_client(bob).post(f"/api/comments/{made.pk}/restore").status_code == 404
    assert buyers.browser_client(bob).post(f"/comments/{made.pk}/restore/").status_code == 404


def test_deleting_and_bringing_back_in_turns_is_told_to_wait(alice: User, bob: User) -> None:
    made = comments.add(makers.note(alice).pk, bob, "Hm")
    comments.delete(made, by=bob)
    limiter.hit([(limits.COMMENTS, bob.pk)], cost=limits.COMMENTS.allowed)
    for answer in (
        buyers.api_client(bob).post(f"/api/comments/{made.pk}/restore"),
        buyers.browser_client(bob).post(f"/comments/{made.pk}/restore/", headers=HTMX),
    ):
        assert (answer.status_code, int(answer["Retry-After"]) >= 1) == (429, True)
    made.refresh_from_db()
    assert made.deleted_at


@pytest.mark.both_databases
def test_a_deleted_one_says_nothing_any_more(client: Client, alice: User, bob: User) -> None:
    note = makers.note(alice)
    asked = comments.add(note.pk, bob, "Secret")
    comments.add(note.pk, alice, "Oh!", reply_to=asked.pk)
    comments.delete(asked)
    (shown,) = client.get(f"/api/notes/{note.pk}/comments").json()["items"]
    assert (shown["text"], shown["reply_count"]) == (None, 1)
    for path in (f"/notes/{note.pk}/comments/", f"/comments/{asked.pk}/"):
        page = markup.compact(client.get(path).content)
        assert "This comment was deleted." in page
        assert "Secret" not in page


BAD = [
    ({"text": ""}, 422), ({"text": " \n "}, 422), ({"text": "x" * 1_001}, 422), ({"text": "x" * 3_000}, 422),
    ({"text": "a\u202eb"}, 422), ({"text": "a\x07b"}, 422), ({"text": "a\x00b"}, 400), ({"text": 5}, 422),
    ({"text": None}, 422), ({}, 422), ({"text": "ok", "reply_to": 0}, 422),
    ({"text": "ok", "reply_to": "x"}, 422), ({"text": "ok", "reply_to": 2**63}, 422),
    ({"text": "ok", "reply_to": 10_000}, 404),
]  # fmt: skip


@pytest.mark.parametrize(("said", "status"), BAD)
def test_what_can_not_be_said(alice: User, said: dict[str, object], status: int) -> None:
    note = makers.note(alice)
    path = f"/api/notes/{note.pk}/comments"
    answer = buyers.api_client(alice).post(path, said, content_type="application/json")
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert not Comment.objects.exists()


@pytest.mark.both_databases
def test_half_a_character_is_refused(alice: User) -> None:
    path = f"/api/notes/{makers.note(alice).pk}/comments"
    answer = buyers.api_client(alice).post(path, '{"text": "\\ud800"}', content_type="application/json")
    assert answer.status_code == 400


@pytest.mark.parametrize("status", [Note.Status.DRAFT, Note.Status.DELETED])
def test_a_note_that_nobody_sees_has_no_comments(alice: User, status: str) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, alice, "Still there")
    Note.objects.update(status=status)
    api, browser = buyers.api_client(alice), buyers.browser_client(alice)
    said = {"text": "Hello?"}
    assert api.get(f"/api/notes/{note.pk}/comments").status_code == 404
    assert (
        api.post(f"/api/notes/{note.pk}/comments", said, content_type="application/json").status_code == 404
    )
    assert api.delete(f"/api/comments/{made.pk}").status_code == 404
    assert api.get(f"/api/comments/{made.pk}/replies").status_code == 404
    for path in (f"/notes/{note.pk}/comments/", f"/comments/{made.pk}/", f"/comments/{made.pk}/reply/"):
        assert browser.get(path).status_code == 404
    assert browser.post(f"/notes/{note.pk}/comments/", said).status_code == 404
    assert browser.post(f"/comments/{made.pk}/delete/").status_code == 404


def test_who_writes_too_often_waits(alice: User, bob: User) -> None:
    note = makers.note(alice)
    path, said = f"/api/notes/{note.pk}/comments", {"text": "Again"}
    api = buyers.api_client(bob)
    answers = [
        api.post(path, said, content_type="application/json") for _ in range(limits.COMMENTS.allowed + 1)
    ]
    assert [answer.status_code for answer in answers] == [201] * limits.COMMENTS.allowed + [429]
    assert int(answers[-1]["Retry-After"]) >= 1
    drawn = buyers.browser_client(bob).post(f"/notes/{note.pk}/comments/", {"text": "Mine"}, headers=HTMX)
    assert (drawn.status_code, int(drawn["Retry-After"]) >= 1) == (429, True)
    assert "too often" in markup.compact(drawn.content)
    assert ">Mine</textarea>" in markup.compact(drawn.content)


def test_a_comment_without_scripts(alice: User, bob: User) -> None:
    note, browser = makers.note(alice), buyers.browser_client(bob)
    answer = browser.post(f"/notes/{note.pk}/comments/", {"text": "Is it loud?"}, follow=True)
    made = Comment.objects.get()
    assert answer.redirect_chain == [(f"/comments/{made.pk}/#comment-{made.pk}", 302)]
    assert "Is it loud?" in markup.compact(answer.content)
    form = markup.compact(browser.get(f"/comments/{made.pk}/reply/").content)
    assert f'name="reply_to" value="{made.pk}"' in form
    sent = {"text": "Anybody?", "reply_to": str(made.pk)}
    replied = markup.compact(browser.post(f"/notes/{note.pk}/comments/", sent, follow=True).content)
    assert "Anybody?" in replied
    gone = browser.post(f"/comments/{made.pk}/delete/", follow=True)
    assert gone.redirect_chain == [(f"{note.get_absolute_url()}#comments", 302)]


def test_a_refused_comment_keeps_what_was_written(alice: User, bob: User) -> None:
    note, browser = makers.note(alice), buyers.browser_client(bob)
    for headers in ({}, HTMX):
        answer = browser.post(f"/notes/{note.pk}/comments/", {"text": "<b>" + "x" * 1_000}, headers=headers)
        assert answer.status_code == 422
        text = markup.compact(answer.content)
        assert "&lt;b&gt;xxx" in text
        assert 'aria-invalid="true"' in text


@pytest.mark.both_databases
def test_a_new_comment_is_drawn_where_it_belongs(alice: User, bob: User) -> None:
    note, browser = makers.note(alice), buyers.browser_client(bob)
    drawn = markup.compact(
        browser.post(f"/notes/{note.pk}/comments/", {"text": "First"}, headers=HTMX).content
    )
    made = Comment.objects.get()
    assert '<ul id="comments-new" hx-swap-oob="afterbegin">' in drawn
    assert 'hx-swap-oob="innerHTML:.comments-count">1<' in drawn
    sent = {"text": "Second", "reply_to": str(made.pk)}
    drawn = markup.compact(browser.post(f"/notes/{note.pk}/comments/", sent, headers=HTMX).content)
    assert f'<ul id="replies-{made.pk}" hx-swap-oob="beforeend">' in drawn
    assert 'hx-swap-oob="innerHTML:.comments-count">2<' in drawn


def test_a_deleted_comment_is_drawn_with_its_replies(alice: User, bob: User) -> None:
    note, browser = makers.note(alice), buyers.browser_client(bob)
    asked = comments.add(note.pk, bob, "Is it loud?")
    comments.add(note.pk, alice, "Only at noon.", reply_to=asked.pk)
    drawn = markup.compact(browser.post(f"/comments/{asked.pk}/delete/", headers=HTMX).content)
    assert "This comment was deleted." in drawn
    assert "Only at noon." in drawn
    assert "Is it loud?" not in drawn
    assert 'hx-swap-oob="innerHTML:.comments-count">1<' in drawn
    again = browser.post(f"/comments/{asked.pk}/delete/", headers=HTMX)
    assert again.status_code == 200


@pytest.mark.parametrize("given", ["", "x", "0", "-1", "１", "9" * 30, "10000"])
def test_a_forged_reply_is_no_reply(alice: User, given: str) -> None:
    note, browser = makers.note(alice), buyers.browser_client(alice)
    sent = {"text": "Hello", "reply_to": given}
    answer = browser.post(f"/notes/{note.pk}/comments/", sent, headers=HTMX)
    assert answer.status_code == (404 if given == "10000" else 200)
    assert Comment.objects.filter(parent=None).count() == (0 if given == "10000" else 1)


def test_a_stranger_sees_no_way_to_delete(client: Client, alice: User, bob: User, charlie: User) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, bob, "Hm")
    path = f"/notes/{note.pk}/comments/"
    assert [
        "Yes, delete" in markup.compact(buyers.browser_client(one).get(path).content)
        for one in (bob, charlie)
    ] == [
        True,
        False,
    ]
    assert "Log in and send" in markup.compact(client.get(path).content)
    assert buyers.browser_client(charlie).post(f"/comments/{made.pk}/delete/").status_code == 403
    assert client.post(f"/comments/{made.pk}/delete/").status_code == 302
    assert client.get(f"/comments/{made.pk}/reply/").status_code == 302


def test_html_in_a_comment_is_text(client: Client, alice: User) -> None:
    note = makers.note(alice)
    comments.add(note.pk, alice, "<img src=x onerror=alert(1)>\n<script>alert(2)</script>")
    page = markup.compact(client.get(f"/notes/{note.pk}/comments/").content)
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(2)" in page


@pytest.mark.parametrize("path", ["/notes/{note}/comments/", "/notes/{note}/", "/api/notes/{note}/comments"])
def test_twenty_comments_cost_what_ten_cost(
    alice: User, bob: User, round_trips: list[object], path: str
) -> None:
    note = makers.note(alice)
    here = path.format(note=note.pk)
    reader = (buyers.api_client if here.startswith("/api/") else buyers.browser_client)(bob)

    def cost() -> tuple[int, int]:
        reader.get(here)
        round_trips.clear()
        with CaptureQueriesContext(connection) as captured:
            assert reader.get(here).status_code == 200
        return len(captured), len(round_trips)

    def talk(many: int) -> None:
        for _ in range(many):
            asked = comments.add(note.pk, bob, "Is it loud?")
            answer = comments.add(note.pk, alice, "No.", reply_to=asked.pk)
            comments.add(note.pk, bob, "Thanks.", reply_to=answer.pk)

    talk(10)
    few = cost()
    talk(10)
    assert cost() == few
