"""The admin's look and its sidebar (django-unfold)."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

Item = dict[str, Any]
NEW_SALE = "admin:coupons_new_flash_sale"
REDEEM = "admin:coupons_redeem"


def environment(_request: HttpRequest) -> list[str] | None:
    """The label beside the account: which site one is about to change."""
    if settings.DEMO:
        return [str(_("Demo")), "warning"]
    return [str(_("Development")), "info"] if settings.DEBUG else None


def style(_request: HttpRequest) -> str:
    return static("monitoring/admin.css")


def mark(_request: HttpRequest) -> str:
    return static("img/mark.svg")


def script(_request: HttpRequest) -> str:
    return static("monitoring/admin.js")


def in_sales(request: HttpRequest) -> bool:
    """The list of sales is lit up, except on the page that has an entry of its own."""
    return _in_list(request, "admin:coupons_flashsale_changelist", but=NEW_SALE)


def in_orders(request: HttpRequest) -> bool:
    """As in_sales, for the list of orders."""
    return _in_list(request, "admin:coupons_voucherorder_changelist", but=REDEEM)


def _in_list(request: HttpRequest, view: str, *, but: str) -> bool:
    return request.path.startswith(str(reverse_lazy(view))) and request.path != str(reverse_lazy(but))


def _allowed(permission: str) -> Callable[[HttpRequest], bool]:
    def check(request: HttpRequest) -> bool:
        return request.user.has_perm(permission)

    return check


def _item(title: Any, icon: str, view: str, permission: str = "") -> Item:
    item: Item = {"title": title, "icon": icon, "link": reverse_lazy(view)}
    return item | {"permission": _allowed(permission)} if permission else item


def _model(title: Any, icon: str, model: str) -> Item:
    """An item for "app.model"'s list, for people who may see it."""
    app, name = model.split(".")
    return _item(title, icon, f"admin:{app}_{name}_changelist", f"{app}.view_{name}")


NAVIGATION = [
    {
        "items": [
            _item(_("Dashboard"), "monitoring", "admin:index"),
            _item(_("New flash sale"), "add_circle", NEW_SALE, "coupons.add_flashsale"),
            _item(_("Redeem"), "qr_code_scanner", REDEEM, "coupons.redeem_order"),
            _item(_("Visitors"), "query_stats", "blog:visitors", "uv.view_dailyvisits"),
        ],
    },
    {
        "title": _("Sales"),
        "separator": True,
        "items": [
            _model(_("Flash sales"), "bolt", "coupons.flashsale") | {"active": in_sales},
            _model(_("Vouchers"), "confirmation_number", "coupons.voucher"),
            _model(_("Orders"), "receipt_long", "coupons.voucherorder") | {"active": in_orders},
            _model(_("Payments"), "payments", "coupons.payment"),
        ],
    },
    {
        "title": _("City"),
        "separator": True,
        "items": [
            _model(_("Shops"), "storefront", "shops.shop"),
            _model(_("Shop types"), "category", "shops.shoptype"),
        ],
    },
    {
        "title": _("Notes"),
        "separator": True,
        "items": [
            _model(_("Notes"), "rate_review", "blog.note"),
            _model(_("Photos"), "photo_library", "blog.photo"),
            _model(_("Comments"), "forum", "blog.comment"),
        ],
    },
    {
        "title": _("People"),
        "separator": True,
        "items": [
            _model(_("People"), "group", "accounts.user"),
            _model(_("Log-ins"), "devices", "accounts.accesstoken"),
            _model(_("Follows"), "group_add", "follows.follow"),
            _model(_("Most followed"), "trending_up", "follows.standing"),
            _model(_("Sign-ins"), "local_fire_department", "signins.standing"),
            _model(_("Months of sign-ins"), "calendar_month", "signins.signinmonth"),
            _model(_("Points"), "toll", "signins.pointentry"),
            _model(_("Roles"), "admin_panel_settings", "auth.group"),
        ],
    },
    {
        "title": _("Operations"),
        "separator": True,
        "items": [
            _item(_("Redis"), "database", "monitoring:redis", "monitoring.view_redis"),
            _model(_("Outbox"), "outbox", "outbox.message"),
            _model(_("Dead tasks"), "running_with_errors", "queues.deadtask"),
            _model(_("Dead letters"), "mark_email_unread", "coupons.deadletter"),
            _model(_("Reconciliations"), "balance", "coupons.reconciliation"),
            _model(_("Stock movements"), "swap_vert", "coupons.stockledger"),
        ],
    },
]

#: Persimmon and warm greys, as in static/css/tokens.css.
COLORS = {
    "base": {
        "50": "#faf6f2",
        "100": "#f2eae4",
        "200": "#e7dbd2",
        "300": "#d3c2b6",
        "400": "#ae998e",
        "500": "#78625a",
        "600": "#65504a",
        "700": "#4a3b35",
        "800": "#382c28",
        "900": "#211917",
        "950": "#15100e",
    },
    "primary": {
        "50": "#fff6f2",
        "100": "#fdebe4",
        "200": "#fbd3c5",
        "300": "#ffbca5",
        "400": "#ffa68a",
        "500": "#ff8c69",
        "600": "#c4351a",
        "700": "#a32a13",
        "800": "#85220f",
        "900": "#6b1d0f",
        "950": "#43211a",
    },
}

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Savor",
    "LOGIN": {"form": "apps.accounts.forms.StaffLogInForm"},
    "SITE_HEADER": "Savor",
    "SITE_SUBHEADER": _("behind the counter"),
    "SITE_SYMBOL": "restaurant",
    "SITE_URL": "/",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": mark}],
    "SHOW_LANGUAGES": True,
    "SHOW_BACK_BUTTON": True,
    "BORDER_RADIUS": "10px",
    "ENVIRONMENT": environment,
    "DASHBOARD_CALLBACK": "apps.monitoring.dashboard.context",
    "STYLES": [style],
    "SCRIPTS": [script],
    "COLORS": COLORS,
    "SIDEBAR": {"show_search": True, "navigation": NAVIGATION},
}
