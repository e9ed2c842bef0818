"""People say that a shop is theirs, or propose one; staff decides, and what follows."""

from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.models import User
from apps.adminkit.roles import Role
from apps.mailbox.models import Notification
from apps.shops.claims import claims
from apps.shops.models import Shop, ShopClaim, ShopMember
from apps.web.problems import Problem
from tests.coupons import buyers
from tests.factories import ShopMemberFactory
from tests.sample_pictures import make_picture
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)
PROPOSAL = {"name": "运河酒馆", "city": "Hangzhou", "address": "3 Xiaohe Street", "hours": "18:00–02:00"}


@pytest.fixture
def shop(db: None) -> Shop:
    return makers.shop()


def url(shop: Shop) -> str:
    return f"/shops/{shop.pk}/claim/"


@pytest.mark.both_databases
def test_an_accepted_claim_makes_an_owner_who_is_told(shop: Shop, alice: User, boss: Client) -> None:
    hers = buyers.browser_client(alice)
    assert url(shop) in hers.get(shop.get_absolute_url()).content.decode()
    sent = {"text": "I am Alice, licence 91330100.", "picture": SimpleUploadedFile("a.png", make_picture())}
    page = hers.post(url(shop), sent, follow=True).content.decode()
    assert "We look at it" in page
    claim = ShopClaim.objects.get()
    in_admin = f"/admin/shops/shopclaim/{claim.pk}/"
    assert "licence 91330100" in boss.get(f"{in_admin}change/").content.decode()
    proof = boss.get(f"{in_admin}proof/")
    assert proof["Content-Type"] == "image/webp"
    proof.close()
    boss.post(f"{in_admin}change/", {"answer": "accept", "reason": ""})
    assert shop.members.get().role == ShopMember.Role.OWNER
    assert alice.groups.filter(name=Role.SHOP_OWNER).exists()
    told = Notification.objects.get(recipient=alice)
    assert (told.target_kind, told.text) == (claims.TARGET_KIND, "owner")
    assert "is yours here now" in hers.get("/notifications/").content.decode()
    assert f"/shops/{shop.pk}/edit/" in hers.get(url(shop)).content.decode()


def test_a_refusal_has_a_reason_and_may_be_answered_with_a_better_proof(
    shop: Shop, alice: User, manager: User, boss: Client
) -> None:
    claim = claims.submit(shop, alice, "It is mine.")
    in_admin = f"/admin/shops/shopclaim/{claim.pk}/change/"
    assert "Write why" in boss.post(in_admin, {"answer": "refuse", "reason": " "}).content.decode()
    boss.post(in_admin, {"answer": "refuse", "reason": "Send us the licence."})
    hers = buyers.browser_client(alice)
    assert "Send us the licence." in hers.get(url(shop)).content.decode()
    assert hers.post(url(shop), {"text": "Here it is."}).status_code == 302
    assert not ShopMember.objects.exists()
    with pytest.raises(Problem) as problem:
        claims.accept(claim.pk, manager)
    assert problem.value.code == "decided"


@pytest.mark.both_databases
def test_two_tabs_send_one_claim(shop: Shop, alice: User, race: Any) -> None:
    race(2, lambda _number: claims.submit(shop, alice, "Mine."))
    assert ShopClaim.objects.count() == 1


def test_what_is_no_proof_or_too_much_is_refused_in_words(shop: Shop, alice: User, bob: User) -> None:
    hers = buyers.browser_client(alice)
    for sent, status, sentence in (
        ({"text": " \u200b "}, 422, "This field is required."),
        ({"text": "x" * 1_001}, 422, "at most 1000 characters"),
        ({"text": "a\u202eb"}, 422, "can&#x27;t be shown"),
        ({"text": "Mine.", "picture": SimpleUploadedFile("a.png", b"<svg>")}, 422, "no picture"),
    ):
        answer = hers.post(url(shop), sent)
        assert (answer.status_code, sentence in answer.content.decode()) == (status, True), sentence
    ShopMemberFactory.create(shop=shop, user=bob, owner=True)
    answer = buyers.browser_client(bob).post(url(shop), {"text": "Mine."})
    assert answer.status_code == 409
    for number in range(claims.MAX_OPEN):
        claims.submit(makers.shop(f"Shop {number}"), alice, "Mine.")
    assert "wait for us already" in hers.post(url(shop), {"text": "Mine."}).content.decode()
    assert ShopClaim.objects.count() == claims.MAX_OPEN


def test_a_proposed_shop_is_off_the_site_until_staff_has_placed_and_accepted_it(
    alice: User, manager: User
) -> None:
    kind = makers.shop_type("bar")
    hers = buyers.browser_client(alice)
    sent = PROPOSAL | {"type": str(kind.pk), "is_owner": "on"}
    assert "Say how we can see" in hers.post("/shops/propose/", sent).content.decode()
    page = hers.post("/shops/propose/", sent | {"text": "I run it."}, follow=True)
    assert (page.status_code, "We look at it" in page.content.decode()) == (200, True)
    shop, claim = Shop.objects.get(), ShopClaim.objects.get()
    assert (shop.name_zh, shop.city_en, shop.is_listed, claim.is_new) == ("运河酒馆", "Hangzhou", False, True)
    assert hers.get(shop.get_absolute_url()).status_code == 404
    with pytest.raises(Problem) as problem:
        claims.accept(claim.pk, manager)
    assert problem.value.code == "needs_place"
    Shop.objects.update(lat=30.3, lng=120.1, needs_place=False)
    claims.accept(claim.pk, manager)
    assert hers.get(shop.get_absolute_url()).status_code == 200
    assert ShopMember.objects.get().user == alice


def test_a_refused_proposal_is_not_claimed_instead(alice: User, manager: User) -> None:
    hers = buyers.browser_client(alice)
    hers.post("/shops/propose/", PROPOSAL | {"type": str(makers.shop_type("bar").pk)})
    shop = Shop.objects.get()
    claims.refuse(ShopClaim.objects.get().pk, manager, "It has closed.")
    page = hers.get(url(shop)).content.decode()
    assert ("It has closed." in page, "You may send it again" in page) == (True, False)
    assert "You proposed this shop" in page
    assert hers.post(url(shop), {"text": "Mine."}).status_code == 404
    assert ShopClaim.objects.count() == 1


def test_strangers_see_nobody_s_claim(shop: Shop, alice: User, bob: User, client: Client) -> None:
    kind = makers.shop_type("bar")
    hers = buyers.browser_client(alice)
    hers.post("/shops/propose/", PROPOSAL | {"type": str(kind.pk)})
    proposed = Shop.objects.get(is_listed=False)
    his = buyers.browser_client(bob)
    assert his.get(url(proposed)).status_code == 404
    assert his.get("/shops/9223372036854775807/claim/").status_code == 404
    claim = ShopClaim.objects.get()
    assert his.get(f"/admin/shops/shopclaim/{claim.pk}/proof/").status_code in {302, 403, 404}
    assert client.get(url(shop)).status_code == 302


def test_a_deleted_account_leaves_no_proof(shop: Shop, alice: User) -> None:
    sent = {"text": "Mine.", "picture": SimpleUploadedFile("a.png", make_picture())}
    buyers.browser_client(alice).post(url(shop), sent)
    path = str(ShopClaim.objects.get().picture)
    assert default_storage.exists(path)
    rule = ERASURES.get("shops.claims")
    assert rule
    assert rule.export(alice.pk)["shop_claims"][0]["text"] == "Mine."
    assert rule.purge(alice.pk) == 1
    assert rule.purge(alice.pk) == 0
    assert not default_storage.exists(path)
