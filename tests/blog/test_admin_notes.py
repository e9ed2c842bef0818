"""Staff hide notes, photos and comments, and bring them back."""

from io import BytesIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from PIL import Image

from apps.accounts.models import User
from apps.blog import access, comments
from apps.blog.models import Note, Photo
from apps.blog.writing import notes, photos
from tests.blog import authors, makers

pytestmark = pytest.mark.django_db(transaction=True)
LISTS = ["/admin/blog/note/", "/admin/blog/photo/", "/admin/blog/comment/"]


def act(staff: Client, model: str, action: str, *ids: int) -> str:
    """The page after an action of a list."""
    body = {"action": action, "_selected_action": ids}
    return str(staff.post(f"/admin/blog/{model}/", body, follow=True).content.decode())


def status(note: Note) -> str:
    note.refresh_from_db()
    return note.status


def test_notes_are_filtered_by_stars_without_reading_all_for_the_choices(boss: Client, alice: User) -> None:
    made = {stars: makers.note(alice, title=f"Note {stars}", rating=stars) for stars in (5, 2, None)}
    for chosen, kept in {"": {5, 2, None}, "5": {5}, "1": set[int](), "0": {None}, "9": {5, 2, None}}.items():
        with CaptureQueriesContext(connection) as sent:
            page = boss.get(f"/admin/blog/note/?rating={chosen}").content.decode()
        assert {stars for stars, note in made.items() if note.title in page} == kept
        assert not [one["sql"] for one in sent if "DISTINCT" in one["sql"]]


def test_a_note_is_hidden_and_brought_back(boss: Client, alice: User, client: Client) -> None:
    note, draft = makers.note(alice), makers.note(alice, status="draft", published_at=None)
    assert "2 notes are hidden." in act(boss, "note", "hide", note.pk, draft.pk)
    assert "0 notes are hidden." in act(boss, "note", "hide", note.pk)
    assert Client().get(f"/notes/{note.pk}/").status_code == 404
    assert not Note.objects.undoable().exists()
    assert "2 notes are back." in act(boss, "note", "restore", note.pk, draft.pk)
    assert (status(note), status(draft)) == ("published", "draft")
    assert LogEntry.objects.filter(object_id=note.pk).count() == 2


@pytest.mark.both_databases
def test_staff_bring_back_what_its_author_deleted_long_ago(boss: Client, alice: User) -> None:
    note = makers.note(alice)
    notes.delete(note)
    Note.objects.update(deleted_at="2020-01-01T00:00Z")
    act(boss, "note", "restore", note.pk)
    assert status(note) == "published"


@pytest.mark.both_databases
def test_the_list_of_photos_loads_small_pictures(boss: Client, alice: User) -> None:
    photo = authors.photo_with_files(alice)
    page = boss.get("/admin/blog/photo/").content.decode()
    assert photo.card_url not in page
    small = boss.get(f"/admin/blog/photo/{photo.pk}/thumbnail/")
    with Image.open(BytesIO(small.content)) as drawn:
        assert drawn.width <= 192
    assert f'alt="Photo of {alice.nickname}"' in page
    assert boss.get("/admin/blog/photo/999/thumbnail/").status_code == 404
    assert Client().get(f"/admin/blog/photo/{photo.pk}/thumbnail/").status_code == 302


@pytest.mark.both_databases
def test_a_photo_is_deleted_with_its_files_and_a_bare_note_stays(boss: Client, alice: User) -> None:
    photo = authors.photo_with_files(alice)
    bare = notes.create(
        alice, makers.shop(), publish=True, **authors.complete_note(alice, photo_ids=[photo.pk])
    )
    other = makers.note(alice, photos=2)
    spare = other.photos.all()[0]
    assert "2 photos are deleted." in act(boss, "photo", "destroy", photo.pk, spare.pk)
    assert not Photo.objects.filter(pk__in=[photo.pk, spare.pk]).exists()
    assert not default_storage.exists(photos.file_path(photo.name))
    assert (status(bare), status(other)) == ("published", "published")


@pytest.mark.both_databases
def test_a_comment_is_hidden_and_brought_back(boss: Client, alice: User, bob: User) -> None:
    note = makers.note(alice)
    comment = comments.add(note.pk, bob, "Rude words")
    assert "1 comment is hidden." in act(boss, "comment", "hide", comment.pk)
    note.refresh_from_db()
    assert note.comments == 0
    assert "1 comment is back." in act(boss, "comment", "restore", comment.pk)
    assert "0 comments are back." in act(boss, "comment", "restore", comment.pk)
    note.refresh_from_db()
    assert note.comments == 1
    assert access.note(note.pk, None)


@pytest.mark.both_databases
@pytest.mark.parametrize("path", LISTS)
def test_lists_are_searched_and_cost_the_same_for_more_rows(boss: Client, alice: User, path: str) -> None:
    def cost() -> int:
        for _ in range(10):
            note = makers.note(alice)
            comments.add(note.pk, alice, "Yes.")
        with CaptureQueriesContext(connection) as queries:
            assert boss.get(path).status_code == 200
        return len(queries)

    boss.get(path)
    assert cost() == cost()
    assert boss.get(path, {"q": "Alice"}).status_code == 200


@pytest.mark.both_databases
def test_pages_show_but_change_nothing(boss: Client, alice: User) -> None:
    note = makers.note(alice, title="<script>alert(1)</script>")
    comment = comments.add(note.pk, alice, "<script>alert(2)</script>")
    photo = note.photos.get()
    for path in (f"note/{note.pk}", f"photo/{photo.pk}", f"comment/{comment.pk}"):
        page = boss.get(f"/admin/blog/{path}/change/")
        assert page.status_code == 200
        assert "<script>alert" not in page.content.decode()
        assert boss.post(f"/admin/blog/{path}/change/", {"title": "Theirs"}).status_code == 403
    assert photo.card_url in boss.get(f"/admin/blog/note/{note.pk}/change/").content.decode()


@pytest.mark.parametrize(("right", "changed"), [("view_note", "published"), ("change_note", "deleted")])
def test_who_may_only_look_hides_nothing(client: Client, bob: User, right: str, changed: str) -> None:
    note: Any = makers.note(bob)
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    bob.user_permissions.add(*Permission.objects.filter(codename__in=["view_note", right]))
    client.force_login(bob)
    act(client, "note", "hide", note.pk)
    assert status(note) == changed
