"""The pages of sales, vouchers and orders."""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts import auth
from apps.coupons.buyer import access, order_display, order_views, purchases
from apps.coupons.buyer.order_views import OrderView
from apps.coupons.buyer.qr_codes import render_svg
from apps.coupons.catalog import offered_vouchers, offers, reminders, sale_page
from apps.coupons.catalog.sale_page import SalePage
from apps.coupons.claims import request_tokens
from apps.coupons.payments import checkout, provider
from apps.web import htmx
from apps.web.problems import Problem

SALE_TABS = {"": offers.list_running, "coming": offers.list_coming, "ended": offers.list_ended}
#: Tells htmx to replace the whole button instead of the element that sent the request.
REPLACE_BUTTON_HEADERS = {"HX-Retarget": "#grab", "HX-Reswap": "outerHTML"}


@require_GET
@never_cache
def sale(request: HttpRequest, voucher_id: int) -> HttpResponse:
    """A voucher's own page, on flash sale or not."""
    page = sale_page.build(offered_vouchers.get_or_404(voucher_id), auth.user_or_none(request))
    bell = reminders.read_state_if_open(page.sale, auth.viewer_id(request)) if page.sale else None
    return render(request, "coupons/sale.html", {"page": page, "bell": bell})


@require_GET
@never_cache
def stock(request: HttpRequest, voucher_id: int) -> HttpResponse:
    """The stock bar; or the whole button when its state is another one than the page shows."""
    page = sale_page.build(offered_vouchers.get_or_404(voucher_id), auth.user_or_none(request))
    if not sale_page.has_button_changed(request.GET.get("shown", ""), page):
        return render(request, "coupons/_stock.html", {"page": page})
    return _button_response(request, page, headers=REPLACE_BUTTON_HEADERS)


@require_POST
@never_cache
def grab(request: HttpRequest, voucher_id: int) -> HttpResponse:
    """Claim from a flash sale."""
    user, voucher = auth.require_user(request), offered_vouchers.get_or_404(voucher_id)
    token = request_tokens.parse_or_new(request.POST.get("request_token"))
    try:
        order_id = purchases.claim_unit(voucher_id, user_id=user.pk, request_token=token)
    except Problem as why:
        return _refusal_response(
            request, why, sale_page.build_refused(voucher, user, why, request_token=token)
        )
    if not htmx.is_htmx(request):
        return redirect("coupons:order", order_id)
    return _button_response(request, sale_page.build_accepted(voucher, user, order_id=order_id))


@require_POST
@never_cache
def buy(request: HttpRequest, voucher_id: int) -> HttpResponse:
    """Buy an ordinary voucher."""
    user = auth.require_user(request)
    token = request_tokens.parse_or_new(request.POST.get("request_token"))
    try:
        order_id = purchases.buy(voucher_id, user=user, request_token=token)
    except Problem as why:
        voucher = offered_vouchers.get_or_404(voucher_id)
        return _refusal_response(
            request, why, sale_page.build_refused(voucher, user, why, request_token=token)
        )
    return redirect("coupons:order", order_id)


@require_GET
@never_cache
def sales(request: HttpRequest) -> HttpResponse:
    """The list of flash sales, by tab: running, coming, ended."""
    tab = request.GET.get("tab", "")
    found = reminders.mark_offers(SALE_TABS.get(tab, offers.list_running)(), auth.viewer_id(request))
    return render(request, "coupons/sales.html", {"offers": found, "tab": tab if tab in SALE_TABS else ""})


@require_GET
@never_cache
def home_page_sales(request: HttpRequest) -> HttpResponse:
    """The home page's strip of sales, or with ?stock only the stock bars of the sales in `shown`."""
    listed = offers.list_for_home_page()
    if "stock" not in request.GET:
        marked = reminders.mark_offers(listed, auth.viewer_id(request))
        return render(request, "coupons/_home_page_sales.html", {"offers": marked})
    shown = request.GET.getlist("shown")
    still_listed = [offer for offer in listed if str(offer.voucher.pk) in shown]
    return render(request, "coupons/_home_page_stock.html", {"offers": still_listed})


@require_GET
@never_cache
def orders(request: HttpRequest) -> HttpResponse:
    """The person's own orders by status; htmx gets the next rows alone."""
    tab = request.GET.get("status", "")
    tab = tab if tab in order_views.TAB_STATUSES else ""
    found, cursor = order_views.list_page(
        auth.require_user(request), tab=tab, cursor=request.GET.get("cursor")
    )
    template = "coupons/_orders.html" if htmx.is_htmx(request) else "coupons/orders.html"
    return render(request, template, {"orders": found, "next": cursor, "tab": tab})


@require_GET
@never_cache
def order(request: HttpRequest, order_id: int) -> HttpResponse:
    """The person's own order, recorded in SQL or still queued."""
    found = order_views.get_own(order_id, auth.require_user(request))
    return render(request, "coupons/order.html", _order_context(request, found))


@require_GET
@never_cache
def order_state(request: HttpRequest, order_id: int) -> HttpResponse:
    """The part of the order's page that changes; 204 while the page shows this state already."""
    found = order_views.get_own(order_id, auth.require_user(request))
    if request.GET.get("shown") == order_display.state_name(found):
        return HttpResponse(status=204)
    return render(request, "coupons/_order_state.html", _order_context(request, found))


@require_POST
@never_cache
def pay(request: HttpRequest, order_id: int) -> HttpResponse:
    """Redirect to the payment provider, which sends the browser back to `returned`."""
    back = request.build_absolute_uri(reverse("coupons:returned", args=[order_id]))
    try:
        return redirect(purchases.pay(order_id, user=auth.require_user(request), return_url=back).pay_url)
    except Problem as why:
        _warn_or_raise(request, why)
    return redirect("coupons:order", order_id)


@require_GET
@never_cache
def returned(request: HttpRequest, order_id: int) -> HttpResponse:
    """The buyer is back from the payment provider. That proves no payment: the callback does."""
    access.order_or_queued(order_id, auth.require_user(request))
    if "gave_up" not in request.GET:
        checkout.record_return(order_id)
    return redirect("coupons:order", order_id)


@require_http_methods(["GET", "POST"])
@never_cache
def cancel(request: HttpRequest, order_id: int) -> HttpResponse:
    """Ask for confirmation (GET), then cancel the order (POST)."""
    return _confirm_or_apply(
        request,
        order_id,
        _Action("coupons/cancel.html", purchases.cancel, _("The order is cancelled.")),
    )


@require_http_methods(["GET", "POST"])
@never_cache
def refund(request: HttpRequest, order_id: int) -> HttpResponse:
    """Ask for confirmation (GET), then refund the order (POST)."""
    return _confirm_or_apply(
        request,
        order_id,
        _Action("coupons/refund.html", purchases.refund, _("The order is refunded.")),
    )


@dataclass(frozen=True)
class _Action:
    """A change of an order: the page that asks for confirmation, the verb, and the message of success."""

    template: str
    apply: Callable[..., OrderView]
    success_text: str


def _button_response(
    request: HttpRequest, page: SalePage, *, status: int = 200, headers: dict[str, str] | None = None
) -> HttpResponse:
    button = render_to_string("coupons/_grab.html", {"page": page}, request)
    return HttpResponse(button, status=status, headers=headers)


def _confirm_or_apply(request: HttpRequest, order_id: int, action: _Action) -> HttpResponse:
    user = auth.require_user(request)
    if request.method == "GET":
        own_order = order_views.get_own(order_id, user)
        return render(request, action.template, _order_context(request, own_order))
    try:
        action.apply(order_id, user=user)
        messages.success(request, action.success_text)
    except Problem as why:
        _warn_or_raise(request, why)
    return redirect("coupons:order", order_id)


def _order_context(request: HttpRequest, found: OrderView) -> dict[str, object]:
    code = render_svg(_redeem_link(request, found.redeem_code)) if found.redeem_code else ""
    face, sandbox = order_display.state_name(found), provider.is_demo()
    about = {"face": face, "asks": order_display.REFRESH_TRIGGERS.get(face, ""), "sandbox": sandbox}
    return about | {"order": found, "qr": code, "now": timezone.now()}


def _redeem_link(request: HttpRequest, code: str) -> str:
    """The address where the shop's staff redeems the code; other people get the admin's log-in."""
    return request.build_absolute_uri(reverse("admin:coupons_redeem", query={"code": code}))


def _refusal_response(request: HttpRequest, why: Problem, page: SalePage) -> HttpResponse:
    """For htmx the button's next state with the refusal's status; for a plain form a redirect to the page."""
    if htmx.is_htmx(request):
        return _button_response(request, page, status=why.status, headers=why.headers)
    if page.state == "have":
        return redirect("coupons:order", page.order_id)
    messages.error(request, why.detail)
    return redirect("coupons:sale", page.voucher.pk)


def _warn_or_raise(request: HttpRequest, why: Problem) -> None:
    if why.code not in {"not_possible", "being_confirmed"}:
        raise why
    messages.warning(request, why.detail)
