"""The pages of sales, vouchers and orders."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from apps.accounts import auth
from apps.accounts.pictures import files, uploads
from apps.coupons import refusals
from apps.coupons.buyer import claim_responses, order_display, order_views, purchases
from apps.coupons.buyer.order_views import OrderView
from apps.coupons.catalog import offers, sale_page, vouchers
from apps.coupons.claims import request_tokens
from apps.coupons.models.catalog import MAX_PER_PERSON
from apps.coupons.orders import redeem_codes
from apps.coupons.payments import checkout, provider
from apps.front.documents.pages import same_refusal, shared_page
from apps.shops.geo import cities
from apps.web import htmx
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

OrderPage = Callable[[HttpRequest, int], HttpResponse]
#: Coming and ended sales below the running ones: a row of a wide screen each.
MAX_BELOW = 4
SALE_TABS = {"": offers.list_running, "coming": offers.list_coming, "ended": offers.list_ended}


@require_GET
@same_refusal
@shared_page
def sale(request: HttpRequest, voucher_id: int) -> HttpResponse:
    """A voucher's own page, on flash sale or not; `?reason=` says why a plain form was refused.

    A shared link to one that was taken off leads to its shop (410).
    """
    try:
        voucher = vouchers.get_or_404(voucher_id)
    except vouchers.TakenOff as gone:
        return render(request, "coupons/sale_gone.html", {"shop": gone.shop}, status=410)
    page = sale_page.build_page(
        voucher, reason=request.GET.get("reason", ""), left=request.GET.get("left", "")
    )
    return render(request, "coupons/sale.html", {"page": page, "metadata": sale_page.describe_page(page)})


@files.public_picture
@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """A voucher's uploaded picture, in a `width` if one is named; its name changes with it."""
    return uploads.respond(request, "vouchers", name)


@require_POST
def grab(request: HttpRequest, voucher_id: int) -> HttpResponse:
    """Claim from a flash sale; 303 to the order, or back to the page with the reason."""
    try:
        user_id = auth.require_cookie_login(request).user_id
        given = request.headers.get("Idempotency-Key", request.POST.get("request_token"))
        token = request_tokens.parse_or_new(given)
        receipt = purchases.claim_unit(voucher_id, user_id=user_id, request_token=token)
    except Problem as why:
        return claim_responses.after_refusal(voucher_id, why)
    return claim_responses.to_order(receipt.order_id)


@require_POST
@never_cache
def buy(request: HttpRequest, voucher_id: int) -> HttpResponse:
    """Buy coupons of an ordinary voucher: 303 to the first order, or back to the page with the reason."""
    user = auth.require_user(request)
    token = request_tokens.parse_or_new(request.POST.get("request_token"))
    count = _parse_count(request.POST.get("count", "1"))
    try:
        order_ids = purchases.buy(voucher_id, user=user, request_token=token, count=count)
    except Problem as why:
        return claim_responses.after_refusal(voucher_id, why)
    return claim_responses.to_order(order_ids[0])


def _parse_count(text: str) -> int:
    """How many coupons a person wants at once; Problem 400 for what is no number of 1 to MAX_PER_PERSON."""
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and 1 <= int(text) <= MAX_PER_PERSON):
        raise Problem(400, "invalid", _("Choose how many: 1 to %(most)d.") % {"most": MAX_PER_PERSON})
    return int(text)


@require_GET
@shared_page
def sales(request: HttpRequest) -> HttpResponse:
    """The list of flash sales: those that run with some of the others below, or all that come or ended."""
    tab = request.GET.get("tab", "")
    tab = tab if tab in SALE_TABS else ""
    about = {"tab": tab, "offers": SALE_TABS[tab](), "has_cities": len(cities.read()) > 1}
    others = [] if tab else [(name, SALE_TABS[name]()) for name in ("coming", "ended")]
    below = [(name, listed[:MAX_BELOW], len(listed) > MAX_BELOW) for name, listed in others]
    return render(request, "coupons/sales.html", about | {"below": below})


@require_GET
@never_cache
def home_page_sales(request: HttpRequest) -> HttpResponse:
    """The home page's strip of sales, of a city or of all; with ?stock the stock bars of those `shown`."""
    slug = request.GET.get("city", "")
    city = cities.find(slug) if slug else None
    listed = offers.list_for_home_page(city)
    if "stock" not in request.GET:
        return render(request, "coupons/_home_page_sales.html", {"offers": listed, "city": city})
    shown_ids = request.GET.getlist("shown")
    still_listed = [offer for offer in listed if str(offer.voucher.pk) in shown_ids]
    return render(request, "coupons/_home_page_stock.html", {"offers": still_listed})


@require_GET
@never_cache
def orders(request: HttpRequest) -> HttpResponse:
    """The person's own orders by status; htmx gets the next rows alone."""
    tab = request.GET.get("status", "")
    tab, user = tab if tab in order_views.TAB_STATUSES else "", auth.require_user(request)
    found, cursor = order_views.list_purchases(user, tab=tab, cursor=request.GET.get("cursor"))
    context: dict[str, object] = {"purchases": found, "next": cursor, "tab": tab}
    if htmx.is_htmx(request):
        return render(request, "coupons/_orders.html", context)
    return render(request, "coupons/orders.html", context | {"tabs": order_views.count_by_tab(user)})


def _shows_lost(view: OrderPage) -> OrderPage:
    """The view of an order; 410 with a way on instead, when the order was lost with a server."""

    @wraps(view)
    def answer(request: HttpRequest, order_id: int) -> HttpResponse:
        try:
            return view(request, order_id)
        except Problem as why:
            return _render_lost(request, "coupons/order_lost.html", order_id, why)

    return answer


@require_GET
@never_cache
@_shows_lost
def order(request: HttpRequest, order_id: int) -> HttpResponse:
    """The person's own order, recorded in SQL or still queued."""
    user = auth.require_user(request)
    [found] = order_views.add_others([order_views.get_own(order_id, user)], user)
    return render(request, "coupons/order.html", _order_context(request, found))


@require_GET
@never_cache
def order_state(request: HttpRequest, order_id: int) -> HttpResponse:
    """The part of the order's page that changes; 204 while the page shows this state already."""
    user = auth.require_user(request)
    try:
        found = order_views.get_own(order_id, user)
    except Problem as why:
        return _render_lost(request, "coupons/_order_lost.html", order_id, why)
    if request.GET.get("shown") == order_display.state_name(found):
        return HttpResponse(status=204)
    [found] = order_views.add_others([found], user)
    return render(request, "coupons/_order_changed.html", _order_context(request, found))


@require_POST
@never_cache
@_shows_lost
def pay(request: HttpRequest, order_id: int) -> HttpResponse:
    """Redirect to the payment provider, which sends the browser back to `returned`; the form's `order` fields
    name all orders that are paid at once, if this one isn't paid alone.
    """
    user, others = auth.require_user(request), request.POST.getlist("order")
    back = request.build_absolute_uri(reverse("coupons:returned", args=[order_id]))
    try:
        if others:
            return redirect(purchases.pay_together(_parse_order_ids(others), user=user, return_url=back))
        return redirect(purchases.pay(order_id, user=user, return_url=back).pay_url)
    except Problem as why:
        _warn_or_raise(request, why)
    return redirect("coupons:order", order_id)


def _parse_order_ids(texts: Sequence[str]) -> list[int]:
    """The ids that a form names, each once; 404 for what is none, and for more than one may have."""
    numbers = {parse_row_id(text) for text in texts[: MAX_PER_PERSON + 1]}
    if len(numbers) > MAX_PER_PERSON or 0 in numbers:
        raise Http404
    return sorted(numbers)


@require_GET
@never_cache
@_shows_lost
def returned(request: HttpRequest, order_id: int) -> HttpResponse:
    """The buyer is back from the payment provider. That proves no payment: the callback does."""
    order_views.require_order(order_id, auth.require_user(request))
    if "gave_up" not in request.GET:
        checkout.record_return(order_id)
    # Whoever comes by keyboard or ear goes on where the news is.
    return redirect(reverse("coupons:order", args=[order_id], fragment="order-state"))


@require_http_methods(["GET", "POST"])
@never_cache
@_shows_lost
def cancel(request: HttpRequest, order_id: int) -> HttpResponse:
    """Ask for confirmation (GET), then cancel the order (POST)."""
    return _confirm_or_apply(
        request,
        order_id,
        _Action("coupons/cancel.html", purchases.cancel, _("The order is cancelled.")),
    )


@require_http_methods(["GET", "POST"])
@never_cache
@_shows_lost
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


def _render_lost(request: HttpRequest, template: str, order_id: int, why: Problem) -> HttpResponse:
    """The page, or its part, about an order that was lost with a server; raises any other problem."""
    if why.code != refusals.ORDER_LOST.code:
        raise why
    return render(request, template, {"order_id": order_id, "detail": why.detail}, status=why.status)


def _order_context(request: HttpRequest, found: OrderView) -> dict[str, object]:
    code = order_display.render_code(request, found.redeem_code) if found.redeem_code else ""
    state, sandbox = order_display.state_name(found), provider.is_demo()
    about = {
        "state": state,
        "refresh_trigger": order_display.REFRESH_TRIGGERS.get(state, ""),
        "sandbox": sandbox,
    }
    steps_done = order_display.STEPS_DONE.get(found.status)
    spelled = redeem_codes.spell(found.redeem_code or "")
    drawn = {"qr": code, "spelled": spelled, "now": timezone.now()}
    return about | {"order": found, "steps_done": steps_done} | drawn


def _warn_or_raise(request: HttpRequest, why: Problem) -> None:
    if why.code not in {"not_possible", "being_confirmed", "not_together"}:
        raise why
    messages.warning(request, why.detail)
