import re

import pytest
from django.test import Client

from apps.accounts.models import User
from tests.blog import makers
from tests.coupons import buyers

TOKEN = re.compile(r'(?:csrfmiddlewaretoken" value="|X-CSRFToken": ")(\w{64})"')


@pytest.mark.django_db
def test_all_forms_of_an_answer_share_a_token_that_is_taken(alice: User, bob: User) -> None:
    note = makers.note(alice)
    me = buyers.browser_client(bob, csrf=True)
    shown = TOKEN.findall(me.get(note.shop.get_absolute_url()).content.decode())
    assert len(shown) >= 3
    assert len(set(shown)) == 1
    sent = {"liked": "1", "spot": "shop", "csrfmiddlewaretoken": shown[0]}
    assert me.post(f"/notes/{note.pk}/like/", sent).status_code == 302
    assert me.post(f"/notes/{note.pk}/like/", sent | {"csrfmiddlewaretoken": "a" * 64}).status_code == 403


@pytest.mark.django_db
def test_the_next_answer_has_another_token(client: Client) -> None:
    """A secret that is masked the same way twice could be guessed from compressed answers."""
    first, second = (TOKEN.findall(client.get("/login/").content.decode())[0] for _ in range(2))
    assert first != second
