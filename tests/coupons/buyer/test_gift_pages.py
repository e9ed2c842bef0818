"""The pages of a gift: for who gives it, for who opens the link, and for who can't have it."""

import re

import pytest
from django.db import transaction
from django.http import Http404
from django.test import Client

from apps.accounts.models import User
from apps.coupons import erasure
from apps.coupons.buyer import gifts, order_views
from apps.coupons.models import Gift, VoucherOrder
from apps.coupons.orders import lifecycle
from tests.coupons import buyers, payers
from tests.coupons.buyer.test_order_pages import fetch_page
from tests.factories import NoteFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def paid(order: VoucherOrder, sandbox: None) -> VoucherOrder:
    """Alice's coupon, paid."""
    payers.pay_order(order)
    return order


def find_link(order: VoucherOrder, user: User) -> str:
    """The address in the field of the giver's page."""
    found = re.search(
        r'id="gift-link"[^>]*value="http://testserver([^"]+)"', fetch_page(give_path(order), user)
    )
    assert found
    return found[1]


def give_path(order: VoucherOrder) -> str:
    return f"/orders/{order.pk}/gift/"


def test_a_link_is_made_opened_and_taken(paid: VoucherOrder, alice: User, bob: User) -> None:
    giver, taker = buyers.browser_client(alice), buyers.browser_client(bob)
    assert give_path(paid) in fetch_page(f"/orders/{paid.pk}/", alice)
    assert "Make a link" in fetch_page(give_path(paid), alice)
    assert giver.post(give_path(paid)).status_code == 302
    link = find_link(paid, alice)
    assert "can take this coupon until" in fetch_page(f"/orders/{paid.pk}/", alice)
    opened = taker.get(link)
    assert opened.status_code == 200
    assert f"{alice.nickname} gives you this coupon" in opened.content.decode()
    assert opened["Cache-Control"].startswith("max-age=0")
    took = taker.post(f"{link}take/")
    assert took["Location"] == f"/orders/{paid.pk}/"
    assert taker.get(link)["Location"] == f"/orders/{paid.pk}/"


def test_a_word_goes_along_to_who_takes_it(paid: VoucherOrder, alice: User, bob: User, charlie: User) -> None:
    giver, taker = buyers.browser_client(alice), buyers.browser_client(bob)
    giver.post(give_path(paid), {"words": " Happy birthday "})
    link, page = find_link(paid, alice), fetch_page(give_path(paid), alice)
    assert "Happy birthday" in page
    in_chat = re.search(r'href="(/chats/share/\?text=[^"]+)"', page)
    assert in_chat
    chosen = giver.get(in_chat[1]).content.decode()
    assert f'value="Happy birthday http://testserver{link}"' in chosen
    assert "Happy birthday" in taker.get(link).content.decode()
    taker.post(f"{link}take/")
    order_page = fetch_page(f"/orders/{paid.pk}/", bob)
    assert "Happy birthday" in order_page
    assert f"/report/gift/{paid.pk}/" in order_page
    given = fetch_page(give_path(paid), alice)
    assert f"{bob.nickname} took it on" in given
    assert "be given away" not in given
    # Who took it may report the words; hidden they are gone until they are restored.
    kind = gifts.GiftWordsKind()
    assert kind.find(paid.pk, bob).excerpt == "Happy birthday"
    with pytest.raises(Http404):
        kind.find(paid.pk, charlie)
    with transaction.atomic():
        before = kind.hide(paid.pk)
    assert "Happy birthday" not in fetch_page(f"/orders/{paid.pk}/", bob)
    kind.restore(paid.pk, before)
    assert "Happy birthday" in fetch_page(f"/orders/{paid.pk}/", bob)
    erasure.purge(alice.pk)
    assert Gift.objects.get().words == ""


@pytest.mark.parametrize("words", ["x" * (Gift.MAX_WORDS_LENGTH + 1), "a\u202eb"])
def test_words_that_cannot_be_shown_make_no_link_and_stay_in_the_form(
    paid: VoucherOrder, alice: User, words: str
) -> None:
    refused = buyers.browser_client(alice).post(give_path(paid), {"words": words})
    assert refused.status_code == 422
    page = refused.content.decode()
    assert f'value="{words}"' in page
    assert 'aria-describedby="gift-words-error"' in page
    assert 'id="gift-words-error" role="alert"' in page
    assert not Gift.objects.exists()


def test_each_side_reads_what_it_has(paid: VoucherOrder, alice: User, bob: User) -> None:
    old_code = paid.redeem_code
    gifts.take(gifts.write_token(gifts.make(paid.pk, user=alice).number), user=bob)
    paid.refresh_from_db()
    hers, his = fetch_page(f"/orders/{paid.pk}/", alice), fetch_page(f"/orders/{paid.pk}/", bob)
    assert f"{bob.nickname} took it on" in hers
    assert paid.redeem_code in his
    for page in (hers, his):
        assert old_code not in page
        assert "refund-link" not in page
        assert "give-link" not in page
        assert "data-paid-shop" not in page
    assert paid.redeem_code not in hers
    assert 'class="price"' not in his
    assert f"Given to {bob.nickname}" in fetch_page("/orders/", alice)
    assert all("Given away" in page for page in (hers, fetch_page("/orders/", alice)))
    assert f"/orders/{paid.pk}/" not in fetch_page("/orders/?status=paid", alice), "it is not hers to use"
    assert f"/orders/{paid.pk}/" in fetch_page("/orders/?status=paid", bob)
    assert [
        {tab.name: tab.orders for tab in order_views.count_by_tab(user)}["paid"] for user in (alice, bob)
    ] == [0, 1]
    assert f"Given by {alice.nickname}" in fetch_page("/orders/", bob)
    assert "How was it?" not in fetch_page(f"/orders/{paid.pk}/", bob), "it is not used yet"
    lifecycle.redeem(paid)
    hers, his = fetch_page(f"/orders/{paid.pk}/", alice), fetch_page(f"/orders/{paid.pk}/", bob)
    assert "It was used in the shop on" in hers
    assert "How was it?" not in hers, "who used it was there"
    assert "How was it?" in his


@pytest.mark.both_databases
def test_who_has_used_a_coupon_is_asked_for_a_note_until_there_is_one(
    paid: VoucherOrder, alice: User, bob: User
) -> None:
    lifecycle.redeem(paid)
    shop = paid.voucher.shop
    NoteFactory.create(author=bob, shop=shop)
    page = fetch_page(f"/orders/{paid.pk}/", alice)
    links = re.findall(r'href="(/notes/new/\?[^"]+)"', page)
    assert links == [f"/notes/new/?shop={shop.pk}&amp;stars={stars}" for stars in range(1, 6)]
    form = buyers.browser_client(alice).get(links[3].replace("&amp;", "&")).context["form"]
    assert form["rating"].value() == 4
    for odd in ("6", "x", ""):
        opened = buyers.browser_client(alice).get(f"/notes/new/?shop={shop.pk}&stars={odd}")
        assert opened.context["form"]["rating"].value() is None, odd
    NoteFactory.create(author=alice, shop=shop, draft=True)
    assert "How was it?" not in fetch_page(f"/orders/{paid.pk}/", alice)


def test_who_got_it_reads_that_it_is_over_and_nothing_of_the_money(
    paid: VoucherOrder, alice: User, bob: User
) -> None:
    gifts.take(gifts.write_token(gifts.make(paid.pk, user=alice).number), user=bob)
    paid.refresh_from_db()
    lifecycle.mark_refunded(paid)
    his = fetch_page(f"/orders/{paid.pk}/", bob)
    assert "This coupon can't be used any more" in his
    assert "on their way back to you" not in his
    assert "You got" not in his


def test_a_link_is_taken_back(paid: VoucherOrder, alice: User, client: Client) -> None:
    link = f"/gifts/{gifts.write_token(gifts.make(paid.pk, user=alice).number)}/"
    assert client.get(link).status_code == 200
    assert buyers.browser_client(alice).post(f"{give_path(paid)}end/").status_code == 302
    assert not Gift.objects.exists()
    gone = client.get(link)
    assert (gone.status_code, "This gift is gone" in gone.content.decode()) == (410, True)


def test_ones_own_link_says_so(paid: VoucherOrder, alice: User) -> None:
    token = gifts.write_token(gifts.make(paid.pk, user=alice).number)
    page = fetch_page(f"/gifts/{token}/", alice)
    assert "This is your own coupon" in page
    assert "take/" not in page
    refused = buyers.browser_client(alice).post(f"/gifts/{token}/take/")
    assert refused["Location"] == f"/gifts/{token}/"


def test_a_visitor_logs_in_first(paid: VoucherOrder, alice: User, client: Client) -> None:
    link = f"/gifts/{gifts.write_token(gifts.make(paid.pk, user=alice).number)}/"
    assert "Log in and take it" in client.get(link).content.decode()
    sent = client.post(f"{link}take/", headers={**buyers.SAME_ORIGIN, "referer": f"http://testserver{link}"})
    assert sent.status_code == 302
    assert sent["Location"].startswith("/login/?next=%2Fgifts%2F")
    assert "then=" in sent["Location"], "it is taken after the log-in"


@pytest.mark.parametrize("token", ["x", "\u793c\u7269", "a" * 3_000, "m3Xz0dQw8c1LrTfa.AAAA"])
def test_a_forged_link_is_not_found(client: Client, bob: User, token: str) -> None:
    assert client.get(f"/gifts/{token}/").status_code == 404
    assert buyers.browser_client(bob).post(f"/gifts/{token}/take/").status_code == 404


def test_an_unpaid_order_is_not_given(order: VoucherOrder, alice: User) -> None:
    assert "give-link" not in fetch_page(f"/orders/{order.pk}/", alice)
    assert "This coupon can't be given away" in fetch_page(give_path(order), alice)
    assert buyers.browser_client(alice).post(give_path(order))["Location"] == f"/orders/{order.pk}/"
    assert not Gift.objects.exists()


def test_a_stranger_sees_none_of_it(paid: VoucherOrder, charlie: User) -> None:
    client = buyers.browser_client(charlie)
    assert client.get(give_path(paid)).status_code == 404
    assert client.post(give_path(paid)).status_code == 404
    assert client.post(f"{give_path(paid)}end/").status_code == 404
