"""A block between two people changes nothing of what is either's own: reads stay, and writes are answered."""

import json
import re
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Block, User
from apps.blog import comments
from apps.blog.models import Comment, Note
from apps.chat.models import Chat
from apps.coupons.buyer import gifts
from apps.coupons.models import Status, Voucher, VoucherOrder
from apps.follows import graph
from apps.saves.models import ListEntry, Save, SaveList
from apps.search.index import rebuilding
from tests.api_document import read_document
from tests.backoffice import full_lives
from tests.blog import authors
from tests.factories import VoucherOrderFactory

pytestmark = pytest.mark.django_db
Ids = dict[str, Any]
DOCUMENT = read_document()
STAFF = "/api/operations/"
READS = {
    path for path, methods in DOCUMENT["paths"].items() if "get" in methods and not path.startswith(STAFF)
}
#: What tells of blocks or shows other people, what nobody owns here, and a stream that doesn't end.
LEFT_OUT = {
    *(
        "/api/me/blocks",
        "/api/me/page",
        "/api/me/data",
        "/api/people/suggestions",
        "/api/suggest",
        "/api/live",
        "/api/uv",
        "/api/ads",
    ),
    *("/api/moderation/cases", "/api/shops/{shop_id}/people", "/api/vouchers/{voucher_id}/stock"),
    *("/api/shops/{shop_id}/webhooks", "/api/shops/{shop_id}/webhooks/{webhook_id}/deliveries"),
}
QUERIES = {
    "/api/me/notes": ["?status=draft", "?status=published"],
    "/api/saves": ["?kind=shops", "?kind=notes", "?list={list_id}"],
    "/api/search": ["?q=broth&kind=notes", "?q=Alice&kind=people", "?q=noodle&kind=shops"],
    "/api/rankings": ["?type=food"],
}
PAGES = [
    *(
        "/",
        "/me/",
        "/me/edit/",
        "/me/notes/",
        "/me/notes/?status=draft",
        "/me/sessions/",
        "/orders/",
        "/feed/",
    ),
    *("/me/saves/", "/me/saves/?kind=notes", "/me/saves/?kind=lists", "/chats/", "/notifications/"),
    *("/notes/{draft_id}/", "/notes/{note_id}/", "/notes/{note_id}/comments/", "/comments/{comment_id}/"),
    *("/notes/{draft_id}/edit/", "/notes/{note_id}/edit/", "/notes/{note_id}/delete/", "/orders/{order_id}/"),
    *("/lists/{list_id}/", "/lists/{list_id}/edit/", "/lists/{list_id}/delete/", "/chats/{chat_id}/"),
    *("/people/{user_id}/", "/people/{user_id}/notes/", "/people/{user_id}/likes/"),
    *("/people/{user_id}/followers/", "/people/{user_id}/following/"),
]
#: What differs between two answers about the same: nonces, and tokens of forms.
VARYING = re.compile(rb'nonce="[^"]*"|nonce-[\w-]+|(name="csrfmiddlewaretoken"|X-CSRFToken)[^>]*')
#: By name: method, address, and the body, in which the name of an id stands for it.
WRITES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "profile": ("PATCH", "/api/me", {"bio": "Noodles"}),
    "new draft": ("POST", "/api/notes", {"shop_id": "shop_id", "title": "New"}),
    "new note": ("POST", "/api/notes", {"shop_id": "shop_id", "title": "New", "rating": 4, "publish": True}),
    "note": ("PATCH", "/api/notes/{note_id}", {"title": "Other"}),
    "draft": ("PATCH", "/api/notes/{draft_id}", {"title": "Other"}),
    "publish": ("PATCH", "/api/notes/{draft_id}", {"publish": True, "title": "Other", "rating": 4}),
    "restore": ("POST", "/api/notes/{deleted_id}/restore", {}),
    "delete": ("DELETE", "/api/notes/{note_id}", {}),
    "photo": ("DELETE", "/api/photos/{photo_id}", {}),
    "like": ("PUT", "/api/notes/{note_id}/like", {}),
    "unlike": ("DELETE", "/api/notes/{note_id}/like", {}),
    "comment": ("POST", "/api/notes/{note_id}/comments", {"text": "Mine"}),
    "answer": ("POST", "/api/notes/{note_id}/comments", {"text": "Mine", "reply_to": "comment_id"}),
    "delete comment": ("DELETE", "/api/comments/{comment_id}", {}),
    "restore comment": ("POST", "/api/comments/{deleted_comment_id}/restore", {}),
    "save": ("PUT", "/api/notes/{note_id}/save", {}),
    "remove": ("DELETE", "/api/shops/{shop_id}/save", {}),
    "new list": ("POST", "/api/lists", {"name": "New", "public": True}),
    "list": ("PATCH", "/api/lists/{list_id}", {"public": False}),
    "put": ("PUT", "/api/lists/{list_id}/notes/{note_id}", {}),
    "take": ("DELETE", "/api/lists/{list_id}/shops/{shop_id}", {}),
    "delete list": ("DELETE", "/api/lists/{list_id}", {}),
    "rename group": ("PATCH", "/api/chats/{chat_id}", {"name": "Other", "muted": True}),
    "message": ("POST", "/api/chats/{chat_id}/messages", {"text": "Mine", "client_id": "a"}),
    "seen": ("POST", "/api/chats/{chat_id}/seen", {"number": 1}),
    "leave": ("DELETE", "/api/chats/{chat_id}/members", {}),
    "buy": ("POST", "/api/vouchers/{voucher_id}/buy", {}),
    "cancel": ("POST", "/api/orders/{order_id}/cancel", {}),
    "give": ("POST", "/api/orders/{paid_order_id}/gift", {}),
    "keep": ("DELETE", "/api/orders/{paid_order_id}/gift", {}),
}


@pytest.fixture
def ids(alice: User, bob: User, charlie: User) -> Ids:
    """Alice has everything that one can have, and blocks nobody; her things' ids by names in addresses."""
    full_lives.live(alice, bob, charlie)
    Block.objects.all().delete()
    graph.follow(alice.pk, bob.pk)
    note, draft = Note.objects.published().get(author=alice), Note.objects.get(author=alice, status="draft")
    deleted = Note.objects.create(author=alice, shop=note.shop, status="deleted", deleted_at=timezone.now())
    save, save_list = Save.objects.get(user=alice), SaveList.objects.get(owner=alice)
    ListEntry.objects.create(list=save_list, saved=save)
    Save.objects.create(user=alice, note=note)
    comment = comments.add(note.pk, alice, "Mine")
    order = VoucherOrder.objects.get(user=alice)
    VoucherOrder.objects.filter(pk=order.pk).update(status=Status.UNPAID, cancelled_at=None)
    paid = VoucherOrderFactory.create(user=alice, paid=True)
    rebuilding.rebuild()
    return {
        "user_id": alice.pk,
        "note_id": note.pk,
        "draft_id": draft.pk,
        "deleted_id": deleted.pk,
        "photo_id": authors.photo_row(alice).pk,
        "comment_id": comment.pk,
        "deleted_comment_id": Comment.objects.get(deleted_by=alice).pk,
        "shop_id": note.shop_id,
        "list_id": save_list.pk,
        "chat_id": Chat.objects.get(creator=alice, pair=None).pk,
        "order_id": order.pk,
        "paid_order_id": paid.pk,
        "token": gifts.write_token(gifts.make(paid.pk, user=alice).number),
        "voucher_id": Voucher.objects.create(shop=note.shop, title_en="Tea", price=900, value=1_200).pk,
    }


def block_both_ways(person: User, other: User) -> None:
    """One of two people blocks the other, and is blocked: what either block takes away is gone then too."""
    Block.objects.bulk_create(
        [Block(blocker=person, blocked=other), Block(blocker=other, blocked=person)],
    )


def read_all(program: Client, browser: Client, ids: Ids) -> dict[str, tuple[int, bytes]]:
    """The answers of every read of the API about the person's own things, and of the pages, by address."""
    reads = [path + query for path in sorted(READS - LEFT_OUT) for query in QUERIES.get(path, [""])]
    asked = [(path, program) for path in reads] + [(path, browser) for path in PAGES]
    return {path: read(client, path.format(**ids)) for path, client in asked}


def read(client: Client, path: str) -> tuple[int, bytes]:
    answer = client.get(path)
    return answer.status_code, VARYING.sub(b"", answer.content)


def test_a_block_changes_no_read_of_ones_own(ids: Ids, alice: User, charlie: User) -> None:
    clients = authors.api_client(alice), authors.browser_client(alice)
    before = read_all(*clients, ids)
    assert {path: status for path, (status, _content) in before.items() if status != 200} == {}
    block_both_ways(alice, charlie)
    after = read_all(*clients, ids)
    assert {path for path in before if before[path] != after[path]} == set()


def test_a_block_stops_no_write_of_ones_own(ids: Ids, alice: User, charlie: User) -> None:
    """Each write is taken back, so that it meets everything as it was."""
    block_both_ways(alice, charlie)
    person = authors.api_client(alice)
    answers = {}
    for name, (method, path, body) in WRITES.items():
        sent = {
            key: ids.get(value, value) if isinstance(value, str) else value for key, value in body.items()
        }
        with transaction.atomic():
            answer = person.generic(method, path.format(**ids), json.dumps(sent), "application/json")
            transaction.set_rollback(True)
        answers[name] = answer.status_code
    assert {name: status for name, status in answers.items() if status not in {200, 201, 204}} == {}
