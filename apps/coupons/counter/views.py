"""The counter's page, where cashiers and owners redeem coupons on a phone."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth
from apps.coupons.claims import request_tokens
from apps.coupons.counter import redemptions, scanning
from apps.coupons.models import VoucherOrder
from apps.coupons.orders import redeem_codes, redeeming
from apps.front import security_headers
from apps.web.htmx import is_htmx
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id


def _for_cashiers(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """The view for people who redeem coupons; a guest's page says whom it is for."""

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        if not redeeming.may_redeem(auth.require_user(request)):
            return render(request, "coupons/counter_closed.html", status=403)
        return view(request)

    return answer


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
@_for_cashiers
def counter(request: HttpRequest) -> HttpResponse:
    """GET looks a code up, or shows what was redeemed (`done`); POST redeems it, once however often sent."""
    sent = request.POST if request.method == "POST" else request.GET
    code, order = sent.get("code", "").strip(), None
    try:
        order = redeeming.find_order(code, auth.require_user(request)) if code else None
        if order and request.method == "POST":
            token = request_tokens.parse_or_new(request.POST.get("request_token"))
            redeeming.redeem(request, order, token=token)
            return redirect(reverse("coupons:counter", query={"done": order.pk}))
    except Problem as refusal:
        return _render(request, code=code, order=order, refusal=refusal)
    return _render(request, code=code, order=order)


@never_cache
@login_required
@require_POST
@_for_cashiers
def scan(request: HttpRequest) -> HttpResponse:
    """Look up the code in a photo."""
    photo = request.FILES.get("photo")
    if photo is None:
        return redirect("coupons:counter")
    try:
        code = scanning.read_code(photo, cashier_id=auth.require_user(request).pk)
    except Problem as refusal:
        return _render(request, refusal=refusal)
    return redirect(reverse("coupons:counter", query={"code": code}))


def _render(
    request: HttpRequest, *, code: str = "", order: VoucherOrder | None = None, refusal: Problem | None = None
) -> HttpResponse:
    """The page, or its part for htmx."""
    about = _context(request, code, order) | {"problem": refusal and refusal.detail}
    if order and not refusal:
        about["problem"] = redeeming.refusal_reason(order)
    template = "coupons/_counter.html" if is_htmx(request) else "coupons/counter.html"
    answer = render(request, template, about, status=refusal.status if refusal else 200)
    if refusal and refusal.retry_after is not None:
        answer["Retry-After"] = str(refusal.retry_after)
    return security_headers.allow_camera(answer)


def _context(request: HttpRequest, code: str, order: VoucherOrder | None) -> dict[str, Any]:
    user = auth.require_user(request)
    return {
        "code": code,
        "order": order,
        "request_token": request_tokens.new(),
        "spelled": redeem_codes.spell(order.redeem_code) if order else "",
        "done": redemptions.find_own(parse_row_id(request.GET.get("done")), user),
        "today": redemptions.list_today(user),
        "shops": redemptions.list_shop_names(user),
    }
