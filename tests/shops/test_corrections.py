"""People say what is wrong about a shop; its owner or staff makes the change, and they are told."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.test import Client

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.models import User
from apps.mailbox.models import Notification
from apps.moderation import limits
from apps.shops.claims import corrections
from apps.shops.models import Shop, ShopCorrection
from apps.web.problems import Problem
from tests.coupons import buyers
from tests.factories import ShopMemberFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)
Kind, State = ShopCorrection.Kind, ShopCorrection.State


@pytest.fixture
def shop(db: None) -> Shop:
    return makers.shop(
        phone="0571 1000", hours_en="9:00–17:00", address_en="1 Lake Road", address_zh="湖路1号"
    )


@pytest.fixture
def moderator(charlie: User) -> User:
    charlie.user_permissions.add(Permission.objects.get(codename="decide_shopcorrection"))
    return User.objects.get(pk=charlie.pk)


@pytest.mark.both_databases
def test_an_owner_makes_the_change_at_a_press_and_who_sent_it_is_told(
    shop: Shop, alice: User, bob: User
) -> None:
    ShopMemberFactory.create(shop=shop, user=bob, owner=True)
    hers, his, url = buyers.browser_client(alice), buyers.browser_client(bob), f"/shops/{shop.pk}/correct/"
    assert url in hers.get(f"/shops/{shop.pk}/").content.decode()
    assert "Something is wrong" in hers.get(url).content.decode()
    sent = hers.post(url, {"kind": "phone", "value": " 0571 2000 ", "text": "I called."}, follow=True)
    assert "you get a notification" in sent.content.decode()
    page = his.get(f"/shops/{shop.pk}/edit/").content.decode()
    for words in ("The phone number is wrong", "<del>0571 1000</del>", "0571 2000", "I called."):
        assert words in page
    correction = ShopCorrection.objects.get()
    his.post(f"/shops/{shop.pk}/corrections/{correction.pk}/", {"answer": "accept"})
    shop.refresh_from_db()
    assert shop.phone == "0571 2000"
    assert "0571 2000" in Client().get(f"/shops/{shop.pk}/").content.decode()
    assert "is corrected" in hers.get("/notifications/").content.decode()
    assert "0571 2000</ins>" not in his.get(f"/shops/{shop.pk}/edit/").content.decode()


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (Kind.HOURS, "8:00–20:00", {"hours_en": "8:00–20:00", "hours_zh": "", "is_listed": True}),
        (Kind.HOURS, "每天10:00–22:00", {"hours_en": "", "hours_zh": "每天10:00–22:00"}),
        (Kind.MOVED, "湖路9号", {"address_en": "", "address_zh": "湖路9号", "is_listed": True}),
        (Kind.CLOSED, "", {"is_listed": False}),
        (Kind.TWICE, "/shops/7/", {"is_listed": False}),
    ],
)
def test_what_is_accepted_changes_the_shop(
    shop: Shop, alice: User, moderator: User, kind: str, value: str, expected: dict[str, Any]
) -> None:
    made = corrections.send(shop, alice, kind=kind, value=value).correction
    corrections.decide(made.pk, moderator, accept=True)
    shop.refresh_from_db()
    assert {name: getattr(shop, name) for name in expected} == expected
    made.refresh_from_db()
    assert (made.state, made.decided_by) == (State.ACCEPTED, moderator)


def test_staff_decides_in_the_admin_and_leaving_it_is_told_too(shop: Shop, alice: User, boss: Client) -> None:
    made = corrections.send(shop, alice, kind=Kind.CLOSED, text="Shutters down.").correction
    page = f"/admin/shops/shopcorrection/{made.pk}/change/"
    assert shop.name in boss.get("/admin/shops/shopcorrection/").content.decode()
    assert "Shutters down." in boss.get(page).content.decode()
    boss.post(page, {"answer": "refuse"})
    shop.refresh_from_db()
    assert shop.is_listed
    told = Notification.objects.get(recipient=alice)
    assert (told.target_kind, told.text) == (corrections.TARGET_KIND, "not_corrected")
    assert "and left it" in buyers.browser_client(alice).get("/notifications/").content.decode()


def test_only_who_may_decides_once(shop: Shop, alice: User, bob: User, moderator: User) -> None:
    ShopMemberFactory.create(shop=shop, user=bob, owner=True)
    closed = corrections.send(shop, alice, kind=Kind.CLOSED).correction
    for person in (alice, bob):
        with pytest.raises(Problem) as refused:
            corrections.decide(closed.pk, person, accept=True)
        assert refused.value.code == "forbidden"
    assert "Staff decides" in buyers.browser_client(bob).get(f"/shops/{shop.pk}/edit/").content.decode()
    other = makers.shop("Teahouse")
    answer = buyers.browser_client(bob).post(f"/shops/{other.pk}/corrections/{closed.pk}/")
    assert answer.status_code in {403, 404}
    corrections.decide(closed.pk, moderator, accept=False)
    with pytest.raises(Problem) as late:
        corrections.decide(closed.pk, moderator, accept=True)
    assert late.value.code == "decided"


@pytest.mark.both_databases
def test_all_who_sent_the_same_are_told_at_once(shop: Shop, alice: User, bob: User, moderator: User) -> None:
    first = corrections.send(shop, alice, kind=Kind.PHONE, value="1").correction
    corrections.send(shop, bob, kind=Kind.PHONE, value="1")
    other = corrections.send(shop, moderator, kind=Kind.PHONE, value="2").correction
    corrections.decide(first.pk, moderator, accept=True)
    assert {one.recipient for one in Notification.objects.all()} == {alice, bob}
    assert list(corrections.list_open(shop.pk)) == [other]


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"kind": "phone"}, "value"),
        ({"kind": "phone", "value": "1" * 25}, "value"),
        ({"kind": "hours", "value": "25:00–26:99"}, "value"),
        ({"kind": "moved", "value": "\u200b"}, "value"),
        ({"kind": "odd"}, "kind"),
        ({"kind": "closed", "text": "x" * 501}, "text"),
    ],
)
def test_what_is_not_whole_is_refused(shop: Shop, alice: User, sent: dict[str, str], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        corrections.send(shop, alice, **sent)
    assert field in refused.value.message_dict
    assert buyers.browser_client(alice).post(f"/shops/{shop.pk}/correct/", sent).status_code == 422
    assert not ShopCorrection.objects.exists()


def test_the_api_takes_one_of_a_kind_while_it_is_open(shop: Shop, alice: User) -> None:
    me, path = buyers.api_client(alice), f"/api/shops/{shop.pk}/corrections"
    answers = [
        me.post(path, {"kind": "phone", "value": value}, content_type="application/json") for value in "12"
    ]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert answers[1].json()["value"] == "1"
    assert answers[0].json()["state"] == "open"
    assert Client().post(path, {"kind": "closed"}, content_type="application/json").status_code == 401


def test_they_count_among_a_persons_reports(shop: Shop, alice: User) -> None:
    for _ in range(limits.REPORTS.allowed):
        limits.charge_report(alice.pk)
    with pytest.raises(Problem) as refused:
        corrections.send(shop, alice, kind=Kind.CLOSED)
    assert refused.value.status == 429


def test_they_go_with_the_account(shop: Shop, alice: User, moderator: User) -> None:
    corrections.send(shop, alice, kind=Kind.CLOSED)
    made = corrections.send(shop, moderator, kind=Kind.PHONE, value="1").correction
    corrections.decide(made.pk, moderator, accept=True)
    erasure = ERASURES.get("shops.corrections")
    assert erasure
    assert erasure.export(alice.pk)["shop_corrections"][0]["kind"] == "closed"
    for person in (alice, moderator):
        while erasure.purge(person.pk):
            continue
    assert not ShopCorrection.objects.exists()
