"""Staff see and press what their role allows, and nothing else."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from apps.accounts.models import User
from apps.coupons.models import FlashSale

CONFIRMED = {"_form_submitted": "True"}
PAGES = [
    "/admin/coupons/flashsale/new-flash-sale/",
    "/admin/coupons/flashsale/",
    "/admin/coupons/voucher/",
    "/admin/coupons/voucherorder/",
    "/admin/coupons/voucherorder/redeem/",
    "/admin/coupons/payment/",
    "/admin/coupons/deadletter/",
    "/admin/coupons/reconciliation/",
    "/admin/coupons/stockledger/",
    "/admin/shops/shop/",
    "/admin/accounts/user/",
    "/admin/accounts/accesstoken/",
    "/admin/redis/",
    "/admin/redis/rebuilds/",
    "/admin/operation/",
    "/admin/operation/panels/",
]


@pytest.fixture
def clerk(client: Client, bob: User) -> Client:
    """Bob, staff without any role."""
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    client.force_login(bob)
    return client


def grant_permissions(user: User, *names: str) -> None:
    user.user_permissions.add(*Permission.objects.filter(codename__in=names))


@pytest.mark.django_db
def test_staff_without_a_role_are_refused(clerk: Client) -> None:
    assert {path: clerk.get(path).status_code for path in PAGES} == dict.fromkeys(PAGES, 403)


@pytest.mark.django_db
def test_people_who_are_no_staff_are_sent_to_log_in(client: Client, alice: User) -> None:
    client.force_login(alice)
    for path in [*PAGES, "/admin/", "/admin/panels/"]:
        assert client.get(path).headers["Location"].startswith("/admin/login/"), path


@pytest.mark.django_db
def test_a_manager_sees_every_page(boss: Client) -> None:
    assert {path: boss.get(path).status_code for path in PAGES} == dict.fromkeys(PAGES, 200)


@pytest.mark.django_db
def test_a_clerk_without_a_role_has_an_empty_dashboard(clerk: Client) -> None:
    page = clerk.get("/admin/").content.decode()
    assert "Health" not in page
    assert "Orders today" not in page
    assert "Redis memory" not in page


@pytest.mark.django_db(transaction=True)
def test_who_may_look_at_a_sale_may_not_change_it(clerk: Client, bob: User, sale: FlashSale) -> None:
    grant_permissions(bob, "view_flashsale", "see_all_shops")
    url = f"/admin/coupons/flashsale/{sale.pk}/change/"
    assert clerk.get(url).status_code == 200
    assert clerk.post(url, {"withdraw": "1"}).status_code == 403


@pytest.mark.both_databases
@pytest.mark.parametrize("path", ["reconciliation/run-now/", "reconciliation/run-and-repair/"])
@pytest.mark.django_db
def test_who_may_look_at_verdicts_may_not_run(clerk: Client, bob: User, path: str) -> None:
    grant_permissions(bob, "view_reconciliation")
    assert clerk.post(f"/admin/coupons/{path}", CONFIRMED).status_code == 403


@pytest.mark.django_db
def test_who_may_look_at_redis_may_not_rebuild_it(clerk: Client, bob: User) -> None:
    grant_permissions(bob, "view_redis")
    assert clerk.get("/admin/redis/").status_code == 200
    assert clerk.post("/admin/redis/rebuilds/apps.coupons.claims.loading:rebuild/").status_code == 403
