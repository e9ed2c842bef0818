"""PATCH with null, of every member: cleared where it may be empty, else 422, and never passed over."""

import json
from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.chat import chats
from apps.coupons.webhooks import endpoints
from apps.shops.models import ShopMember
from tests.api_document import read_document
from tests.coupons import buyers
from tests.factories import NoteFactory, SaveListFactory, ShopFactory, ShopMemberFactory

pytestmark = pytest.mark.django_db(transaction=True)
DOCUMENT = read_document()
#: Members whose null clears, and what an answer has then; null of any other is refused, as of the stars of a
#: note that is published.
CLEARED: dict[tuple[str, str], Any] = {
    ("/api/lists/{list_id}", "description"): "",
    ("/api/lists/{list_id}", "public"): False,
    ("/api/chats/{chat_id}", "muted"): False,
    ("/api/notes/{note_id}", "taste"): None,
    ("/api/notes/{note_id}", "room"): None,
    ("/api/notes/{note_id}", "service"): None,
    ("/api/operations/settings/{component}", "values"): ...,
}


def members() -> list[tuple[str, str]]:
    found = []
    for path, methods in DOCUMENT["paths"].items():
        body = methods.get("patch", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
        schema = body.get("schema", {})
        if "$ref" in schema:
            schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        found += [(path, name) for name in schema.get("properties", {})]
    return found


@pytest.fixture
def addresses(alice: User, bob: User) -> dict[str, str]:
    """Alice's own thing of each kind, all members filled."""
    shop = ShopFactory.create()
    ShopMemberFactory.create(shop=shop, user=alice, role=ShopMember.Role.OWNER)
    note = NoteFactory.create(author=alice, rating=4, taste=4, room=4, service=4, title="Lunch", text="Good")
    hook = endpoints.register(shop, alice, url="https://8.8.8.8/", events=["order.paid"])
    saved = SaveListFactory.create(owner=alice, name="Tour", description="On Sundays", is_public=True)
    group = chats.create_group(alice.pk, [bob.pk], "Dumplings")
    chats.mute(alice.pk, group.pk, is_muted=True)
    return {
        "/api/me": "/api/me",
        "/api/shops/{shop_id}/webhooks/{webhook_id}": f"/api/shops/{shop.pk}/webhooks/{hook.pk}",
        "/api/notes/{note_id}": f"/api/notes/{note.pk}",
        "/api/lists/{list_id}": f"/api/lists/{saved.pk}",
        "/api/chats/{chat_id}": f"/api/chats/{group.pk}",
    }


def test_every_member_of_every_patch_is_here() -> None:
    assert len(members()) > 15
    assert {*CLEARED} <= {*members()}


@pytest.mark.parametrize(("path", "member"), members())
def test_null_clears_or_is_refused(alice: User, addresses: dict[str, str], path: str, member: str) -> None:
    if path not in addresses:
        return  # settings: null is the default, tests/siteconfig has it
    client: Client = buyers.api_client(alice)
    answer = client.patch(addresses[path], json.dumps({member: None}), "application/json")
    if (path, member) in CLEARED:
        assert answer.status_code == 200, answer.content
        assert answer.json().get(member, ...) in (CLEARED[path, member], ...)
    else:
        assert answer.status_code == 422, answer.content
