"""Every role over the admin, the site's pages of work, and the API: what is open to whom."""

import json
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client

from apps.accounts.models import User
from apps.accounts.staff import role_groups
from apps.adminkit.roles import Role
from apps.coupons.models import VoucherOrder
from apps.shops.members import membership
from apps.shops.models import Shop, ShopMember
from tests.coupons import buyers
from tests.coupons.conftest import make_sale, order, sale, shop
from tests.factories import ShopMemberFactory, UserFactory

__all__ = ["make_sale", "order", "sale", "shop"]
pytestmark = pytest.mark.django_db(transaction=True)

#: Columns of the tables: the roles, then staff without a role and a guest.
PEOPLE = ("manager", "moderator", "support", "owner", "cashier", "advertiser", "clerk", "guest")
#: 302 leads to the admin's log-in: cashiers and guests have none.
ADMIN_PAGES = {
    "": (200, 200, 200, 200, 302, 200, 200, 302),
    "shops/shop/": (200, 403, 200, 200, 302, 403, 403, 302),
    "shops/shop/add/": (200, 403, 403, 403, 302, 403, 403, 302),
    "shops/shoptype/": (200, 403, 403, 403, 302, 403, 403, 302),
    "coupons/voucher/": (200, 403, 200, 200, 302, 403, 403, 302),
    "coupons/voucher/add/": (200, 403, 403, 200, 302, 403, 403, 302),
    "coupons/flashsale/": (200, 403, 200, 200, 302, 403, 403, 302),
    "coupons/flashsale/new-flash-sale/": (200, 403, 403, 200, 302, 403, 403, 302),
    "coupons/voucherorder/": (200, 403, 200, 200, 302, 403, 403, 302),
    "coupons/voucherorder/redeem/": (200, 403, 403, 200, 302, 403, 403, 302),
    "coupons/payment/": (200, 403, 200, 403, 302, 403, 403, 302),
    "coupons/stockledger/": (200, 403, 200, 403, 302, 403, 403, 302),
    "coupons/deadletter/": (200, 403, 403, 403, 302, 403, 403, 302),
    "coupons/reconciliation/": (200, 403, 403, 403, 302, 403, 403, 302),
    "blog/note/": (200, 200, 403, 403, 302, 403, 403, 302),
    "blog/comment/": (200, 200, 403, 403, 302, 403, 403, 302),
    "blog/photo/": (200, 200, 403, 403, 302, 403, 403, 302),
    "moderation/case/": (200, 200, 403, 403, 302, 403, 403, 302),
    "search/blockedword/": (200, 200, 403, 403, 302, 403, 403, 302),
    "search/synonymgroup/": (200, 403, 403, 403, 302, 403, 403, 302),
    "accounts/user/": (200, 200, 200, 403, 302, 403, 403, 302),
    "accounts/user/add/": (200, 403, 403, 403, 302, 403, 403, 302),
    "accounts/accesstoken/": (200, 403, 200, 403, 302, 403, 403, 302),
    "auth/group/": (403, 403, 403, 403, 302, 403, 403, 302),
    "admin/logentry/": (200, 403, 403, 403, 302, 403, 403, 302),
    "mailbox/broadcast/": (200, 403, 200, 403, 302, 403, 403, 302),
    "outbox/message/": (200, 403, 200, 403, 302, 403, 403, 302),
    "ads/ad/": (200, 403, 403, 403, 302, 200, 403, 302),
    "ads/ad/try/": (200, 403, 403, 403, 302, 403, 403, 302),
    "visitors/": (200, 403, 403, 403, 302, 403, 403, 302),
    "maintenance/": (200, 403, 403, 403, 302, 403, 403, 302),
    "settings/": (403, 403, 403, 403, 302, 403, 403, 302),
    "redis/": (403, 403, 403, 403, 302, 403, 403, 302),
    "lens/": (403, 403, 403, 403, 302, 403, 403, 302),
    "autocomplete/?app_label=coupons&model_name=voucher&field_name=shop": (
        *(200, 403, 200, 200, 302, 403, 403, 302),
    ),
    "coupons/voucherorder/export/": (200, 403, 403, 200, 302, 403, 403, 302),
}
#: Rows of the one shop, which the owner owns and the cashier works at.
ROWS = {
    "/admin/coupons/voucherorder/{order}/change/": (200, 404, 200, 200, 302, 404, 404, 302),
    "/admin/coupons/flashsale/{sale}/change/": (200, 404, 200, 200, 302, 404, 404, 302),
    "/admin/shops/shop/{shop}/change/": (200, 404, 200, 200, 302, 404, 404, 302),
}
#: The same rows for an owner of another shop.
OTHER_OWNER = (404, 404, 404)
SITE_PAGES = {
    "/redeem/": (200, 403, 403, 200, 200, 403, 403, 403),
    "/redeem/?code={code}": (200, 403, 403, 200, 200, 403, 403, 403),
    "/shops/{shop}/people/": (200, 404, 404, 200, 403, 404, 404, 404),
}
API_PATHS = {
    ("GET", "/api/uv?from=2026-11-01&to=2026-11-02"): (200, 403, 403, 403, 403, 403, 403, 403),
    ("POST", "/api/orders/redeem/check"): (200, 403, 403, 200, 200, 403, 403, 403),
    ("GET", "/api/shops/{shop}/people"): (200, 404, 404, 200, 403, 404, 404, 404),
    ("DELETE", "/api/shops/{shop}/people/1234567"): (204, 404, 404, 204, 403, 404, 404, 404),
}


@pytest.fixture
def people(shop: Shop) -> dict[str, User]:
    """A person of each column of the tables."""
    made = {name: UserFactory.create(nickname=name) for name in PEOPLE}
    for name, role in (("manager", Role.MANAGER), ("moderator", Role.MODERATOR), ("support", Role.SUPPORT)):
        role_groups.grant(made[name], role)
    role_groups.grant(made["advertiser"], Role.ADVERTISER)
    for name in ("owner", "cashier"):
        ShopMemberFactory.create(shop=shop, user=made[name], role=name)
        membership.sync_roles(made[name])
    User.objects.filter(pk=made["clerk"].pk).update(is_staff=True)
    return {name: User.objects.get(pk=user.pk) for name, user in made.items()}


def admin_client(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def names_of(order: VoucherOrder) -> dict[str, Any]:
    voucher = order.voucher
    return {"order": order.pk, "sale": voucher.pk, "shop": voucher.shop_id, "code": order.redeem_code}


def statuses(clients: list[Client], path: str, method: str = "GET", **sent: Any) -> tuple[int, ...]:
    return tuple(client.generic(method, path, **sent).status_code for client in clients)


@pytest.mark.both_databases
def test_pages_of_the_admin(
    people: dict[str, User], order: VoucherOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The menu, which is the same on every page of a person, is drawn on the first one alone."""
    clients = [admin_client(user) for user in people.values()]
    pages = {f"/admin/{path}": expected for path, expected in ADMIN_PAGES.items()}
    pages |= {path.format(**names_of(order)): expected for path, expected in ROWS.items()}
    found = {"/admin/": statuses(clients, "/admin/")}
    monkeypatch.setattr(admin.site, "get_sidebar_list", lambda request: [])
    found |= {path: statuses(clients, path) for path in pages if path not in found}
    assert found == pages, {path: found[path] for path in pages if found[path] != pages[path]}


def test_rows_of_another_shop(people: dict[str, User], order: VoucherOrder) -> None:
    ShopMember.objects.filter(user=people["owner"]).delete()
    client = admin_client(people["owner"])
    paths = [path.format(**names_of(order)) for path in ROWS]
    assert tuple(client.get(path).status_code for path in paths) == OTHER_OWNER


@pytest.mark.both_databases
def test_pages_of_the_site(people: dict[str, User], order: VoucherOrder) -> None:
    clients = [buyers.browser_client(user) for user in people.values()]
    pages = {path.format(**names_of(order)): expected for path, expected in SITE_PAGES.items()}
    assert {path: statuses(clients, path) for path in pages} == pages


def test_paths_of_the_api(people: dict[str, User], order: VoucherOrder) -> None:
    clients = [buyers.api_client(user) for user in people.values()]
    names = names_of(order)
    body = {"data": json.dumps({"code": order.redeem_code}), "content_type": "application/json"}
    found = {
        (method, path): statuses(clients, path.format(**names), method, **(body if method == "POST" else {}))
        for method, path in API_PATHS
    }
    assert found == API_PATHS
