"""The notes on a shop's page: drawn once for many, and yet each reader's own, and never an old one."""

import re

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.blog import likes
from apps.blog.models import Note
from apps.shops.models import Shop
from tests import markup
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)
HEARTS = re.compile(r'data-like="(\d+)" aria-pressed="(\w+)".*?<span class="nums">(\d+)</span>')


@pytest.fixture
def shop(bob: User) -> Shop:
    made = shops.shop()
    for title in ("First", "Second"):
        notes.note(bob, shop=made, title=title)
    return made


def page(reader: Client, shop: Shop, **headers: str) -> str:
    return markup.compact(reader.get(f"/shops/{shop.pk}/", headers=headers).content)


def test_every_reader_gets_the_same_hearts(shop: Shop, alice: User, charlie: User) -> None:
    first = Note.objects.get(title="First")
    likes.like(first.pk, alice.pk)
    shown = [page(reader, shop) for reader in (*map(buyers.browser_client, (alice, charlie)), Client())]
    assert HEARTS.findall(shown[0]) == [(str(first.pk + 1), "false", "0"), (str(first.pk), "false", "1")]
    assert len(set(shown)) == 1
    part = buyers.api_client(alice).get(f"/api/me/page?notes={first.pk},{first.pk + 1}").json()
    assert part["liked"] == [first.pk]


def test_every_heart_leads_back_to_itself_on_this_very_page(shop: Shop, alice: User) -> None:
    for query in ("", "?back=a%26b", "?back=c"):
        shown = markup.compact(buyers.browser_client(alice).get(f"/shops/{shop.pk}/{query}").content)
        for note in Note.objects.all():
            assert f'name="next" value="/shops/{shop.pk}/{query}#shop-heart-{note.pk}"' in shown


def test_a_change_is_seen_at_once(shop: Shop, alice: User) -> None:
    reader, first = buyers.browser_client(alice), Note.objects.get(title="First")
    assert "First" in page(reader, shop)
    Note.objects.filter(pk=first.pk).update(title="<Changed>")
    assert "&lt;Changed&gt;" in page(reader, shop)
    User.objects.filter(pk=first.author_id).update(nickname="Robert")
    assert "Robert" in page(reader, shop)
    Note.objects.all().delete()
    assert "Nobody has written about this place yet" in page(reader, shop)


@pytest.mark.both_databases
def test_each_reader_has_their_language(shop: Shop) -> None:
    found = [page(Client(), shop, accept_language=language) for language in ("en", "zh-hans", "en")]
    assert ["笔记" in each for each in found] == [False, True, False]
