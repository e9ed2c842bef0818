"""Settings of the admin's theme (django-unfold): sidebar, colours, styles and environment label."""

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
TRY_PAGE = "admin:ads_try_page"


def environment(_request: HttpRequest) -> list[str] | None:
    """Return the label of this environment and its colour for the admin's header; None in production."""
    if settings.DEMO:
        return [str(_("Demo")), "warning"]
    return [str(_("Development")), "info"] if settings.DEBUG else None


def site_name(_request: HttpRequest) -> str:
    return settings.SITE_NAME


def stylesheet_url(_request: HttpRequest) -> str:
    return static("css/admin.css")


def logo_url(_request: HttpRequest) -> str:
    return static("img/mark.svg")


def script_url(_request: HttpRequest) -> str:
    return static("js/admin.js")


def search_script_url(_request: HttpRequest) -> str:
    return static("js/admin_search.js")


def names_script_url(_request: HttpRequest) -> str:
    return static("js/admin_names.js")


def is_sales_section(request: HttpRequest) -> bool:
    """Whether to highlight the sidebar item "Flash sales": on its pages except "New flash sale"."""
    return _is_list_page(request, "admin:coupons_flashsale_changelist", but=NEW_SALE)


def is_orders_section(request: HttpRequest) -> bool:
    """Whether to highlight the sidebar item "Orders": on its pages except "Redeem"."""
    return _is_list_page(request, "admin:coupons_voucherorder_changelist", but=REDEEM)


def is_ads_section(request: HttpRequest) -> bool:
    """Whether to highlight the sidebar item "Ads": on its pages except "Why this ad here"."""
    return _is_list_page(request, "admin:ads_ad_changelist", but=TRY_PAGE)


def _is_list_page(request: HttpRequest, view: str, *, but: str) -> bool:
    return request.path.startswith(str(reverse_lazy(view))) and request.path != str(reverse_lazy(but))


def _permission(permission: str) -> Callable[[HttpRequest], bool]:
    def check(request: HttpRequest) -> bool:
        return request.user.has_perm(permission)

    return check


def _sidebar_item(title: Any, icon: str, view: str, permission: str = "") -> Item:
    item: Item = {"title": title, "icon": icon, "link": reverse_lazy(view)}
    return item | {"permission": _permission(permission)} if permission else item


def _model_item(title: Any, icon: str, model: str) -> Item:
    """Return a sidebar item for the list of an "app.model", shown to users with its view permission."""
    app, name = model.split(".")
    return _sidebar_item(title, icon, f"admin:{app}_{name}_changelist", f"{app}.view_{name}")


NAVIGATION = [
    {
        "items": [
            _sidebar_item(_("Dashboard"), "monitoring", "admin:index"),
            _sidebar_item(_("New flash sale"), "add_circle", NEW_SALE, "coupons.add_flashsale"),
            _sidebar_item(_("Redeem"), "qr_code_scanner", REDEEM, "coupons.redeem_order"),
            _sidebar_item(_("Visitors"), "query_stats", "backoffice:visitors", "uv.view_dailyvisits"),
            _sidebar_item(
                _("Cities and paths"), "travel_explore", "logship:visits", "logship.view_cityvisits"
            ),
        ],
    },
    {
        "title": _("Sales"),
        "separator": True,
        "items": [
            _model_item(_("Flash sales"), "bolt", "coupons.flashsale") | {"active": is_sales_section},
            _model_item(_("Vouchers"), "confirmation_number", "coupons.voucher"),
            _model_item(_("Orders"), "receipt_long", "coupons.voucherorder") | {"active": is_orders_section},
            _model_item(_("Payments"), "payments", "coupons.payment"),
        ],
    },
    {
        "title": _("City"),
        "separator": True,
        "items": [
            _model_item(_("Cities"), "location_city", "shops.city"),
            _model_item(_("Shops"), "storefront", "shops.shop"),
            _model_item(_("Shop types"), "category", "shops.shoptype"),
            _model_item(_("Claims of shops"), "key", "shops.shopclaim"),
            _model_item(_("Corrections of shops"), "edit_location", "shops.shopcorrection"),
            _model_item(_("Rankings"), "leaderboard", "rankings.rank"),
            _model_item(_("Imports"), "upload_file", "imports.import"),
        ],
    },
    {
        "title": _("Notes"),
        "separator": True,
        "items": [
            _model_item(_("Notes"), "rate_review", "blog.note"),
            _model_item(_("Photos"), "photo_library", "blog.photo"),
            _model_item(_("Dishes"), "restaurant", "blog.dish"),
            _model_item(_("Comments"), "forum", "blog.comment"),
        ],
    },
    {
        "title": _("Search"),
        "separator": True,
        "items": [
            _sidebar_item(_("Searches"), "manage_search", "search:overview", "search.view_synonymgroup"),
            _model_item(_("Synonyms"), "compare_arrows", "search.synonymgroup"),
            _model_item(_("Stop words"), "filter_alt_off", "search.stopword"),
            _model_item(_("Blocked words"), "block", "search.blockedword"),
        ],
    },
    {
        "title": _("Ads"),
        "separator": True,
        "items": [
            _model_item(_("Campaigns"), "campaign", "ads.campaign"),
            _model_item(_("Ads"), "ad", "ads.ad") | {"active": is_ads_section},
            _sidebar_item(_("Why this ad here"), "psychology_alt", TRY_PAGE, "ads.see_all_advertisers"),
            _model_item(_("Advertisers"), "storefront", "ads.advertiser"),
            _model_item(_("Charges"), "receipt", "ads.charge"),
            _model_item(_("Refused charges"), "rule", "ads.refusedcharge"),
        ],
    },
    {
        "title": _("Moderation"),
        "separator": True,
        "items": [
            _model_item(_("Reports"), "flag", "moderation.case"),
            _model_item(_("Decisions"), "gavel", "moderation.decision"),
        ],
    },
    {
        "title": _("Chats"),
        "separator": True,
        "items": [
            _model_item(_("Chats"), "chat", "chat.chat"),
            _model_item(_("Opened chats"), "lock_open", "chat.chatopening"),
        ],
    },
    {
        "title": _("People"),
        "separator": True,
        "items": [
            _model_item(_("People"), "group", "accounts.user"),
            _model_item(_("Log-ins"), "devices", "accounts.accesstoken"),
            _model_item(_("Follows"), "group_add", "follows.follow"),
            _model_item(_("Most followed"), "trending_up", "follows.standing"),
            _model_item(_("Saved"), "bookmark", "saves.save"),
            _model_item(_("Lists of saves"), "bookmarks", "saves.savelist"),
            _model_item(_("Check-ins"), "local_fire_department", "signins.standing"),
            _model_item(_("Months of check-ins"), "calendar_month", "signins.signinmonth"),
            _model_item(_("Points"), "toll", "signins.pointentry"),
            _model_item(_("Audit log"), "history", "admin.logentry"),
            _model_item(_("Roles"), "admin_panel_settings", "auth.group"),
        ],
    },
    {
        "title": _("Operations"),
        "separator": True,
        "items": [
            _sidebar_item(
                _("Site operation"), "monitor_heart", "monitoring:operation", "monitoring.view_metrics"
            ),
            _sidebar_item(_("Activity"), "show_chart", "monitoring:activity", "monitoring.view_metrics"),
            _sidebar_item(_("Slowest"), "timer", "monitoring:slowest", "monitoring.view_metrics"),
            _sidebar_item(_("Log"), "article", "monitoring:log", "monitoring.view_metrics"),
            _sidebar_item(
                _("Maintenance"), "construction", "siteconfig:maintenance", "siteconfig.switch_maintenance"
            ),
            _sidebar_item(_("Settings"), "tune", "siteconfig:settings", "siteconfig.change_settings"),
            _sidebar_item(_("Redis"), "database", "monitoring:redis", "monitoring.view_redis"),
            _sidebar_item(_("Persistence"), "save", "monitoring:persistence", "monitoring.view_redis"),
            _sidebar_item(_("Lens"), "search_insights", "backoffice:admin_lens", "monitoring.view_redis"),
            _model_item(_("Outbox"), "outbox", "outbox.message"),
            _model_item(_("Messages to people"), "campaign", "mailbox.broadcast"),
            _model_item(_("Dead tasks"), "running_with_errors", "queues.deadtask"),
            _model_item(_("Dead letters"), "mark_email_unread", "coupons.deadletter"),
            _model_item(_("Reconciliations"), "balance", "coupons.reconciliation"),
            _model_item(_("Stock movements"), "swap_vert", "coupons.stockledger"),
        ],
    },
]

#: Colours of the admin, the same persimmon and warm greys as in static/css/tokens.css.
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
    "SITE_TITLE": site_name,
    "LOGIN": {"form": "apps.accounts.staff.forms.StaffLogInForm"},
    "SITE_HEADER": site_name,
    "SITE_SUBHEADER": _("admin"),
    "SITE_ICON": logo_url,
    "SITE_URL": "/",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": logo_url}],
    "SHOW_LANGUAGES": True,
    "ACCOUNT": {
        "navigation": [{"title": _("Second factor"), "link": reverse_lazy("admin_second_factor")}],
    },
    "SHOW_BACK_BUTTON": True,
    "BORDER_RADIUS": "10px",
    "ENVIRONMENT": environment,
    "DASHBOARD_CALLBACK": "apps.adminkit.panels.dashboard_context",
    "STYLES": [stylesheet_url],
    "SCRIPTS": [script_url, search_script_url, names_script_url],
    "COLORS": COLORS,
    "SIDEBAR": {"show_search": True, "navigation": NAVIGATION},
}
