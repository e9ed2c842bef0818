"""The share sheet of shops, notes and sales."""

import pytest
from django.test import Client

from apps.accounts.models import User
from tests import markup
from tests.blog import makers

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_the_sheet_has_preview_link_code_and_the_chats(client: Client, alice: User) -> None:
    note = makers.note(alice, title="Soup & bread")
    for kind, row, title in (("note", note, "Soup &amp; bread"), ("shop", note.shop, note.shop.name)):
        query = f"kind={kind}&amp;id={row.pk}"
        page = client.get(row.get_absolute_url()).content.decode()
        assert f'data-share="/share/?{query}"' in page
        answer = client.get(f"/share/?kind={kind}&id={row.pk}", headers={"HX-Request": "true"})
        sheet = markup.compact(answer.content)
        assert title in sheet
        assert f'value="http://testserver{row.get_absolute_url()}"' in sheet
        assert f'href="/chats/share/?{query}"' in sheet
        assert 'aria-label="QR code of the link"' in sheet


def test_without_a_script_the_sheet_is_the_choice_of_a_chat(client: Client, alice: User) -> None:
    note = makers.note(alice)
    assert (
        client.get(f"/share/?kind=note&id={note.pk}")["Location"] == f"/chats/share/?kind=note&id={note.pk}"
    )


@pytest.mark.parametrize("query", ["", "kind=zoo&id=1", "kind=note&id=x", "kind=note&id=99"])
def test_there_is_no_sheet_of_nothing(client: Client, query: str) -> None:
    assert client.get(f"/share/?{query}", headers={"HX-Request": "true"}).status_code == 404
