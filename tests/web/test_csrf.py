import re
from collections import Counter
from collections.abc import Callable

import pytest
from django.middleware import csrf as theirs
from django.middleware.csrf import CSRF_ALLOWED_CHARS, CSRF_SECRET_LENGTH
from django.test import Client
from django.utils.crypto import get_random_string

from apps.accounts.models import User
from apps.web import csrf
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


def test_a_masked_secret_is_unmasked_by_django() -> None:
    unmask: Callable[[str], str] = theirs._unmask_cipher_token  # type: ignore[attr-defined]
    for _ in range(200):
        secret = get_random_string(CSRF_SECRET_LENGTH, CSRF_ALLOWED_CHARS)
        assert unmask(csrf.mask_secret(secret)) == secret


def test_masks_are_as_likely_as_one_another() -> None:
    """200,000 characters: each of the 62 within a tenth of its share, which is six deviations."""
    found = Counter("".join(csrf.mask_secret("a" * CSRF_SECRET_LENGTH) for _ in range(6_250)))
    share = found.total() / len(CSRF_ALLOWED_CHARS)
    assert set(found) == set(CSRF_ALLOWED_CHARS)
    assert all(abs(times - share) < share / 10 for times in found.values())
