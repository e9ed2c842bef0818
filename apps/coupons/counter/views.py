"""The counter's page, where cashiers and owners redeem coupons on a phone.

A photo of a QR code, from phones whose browser has no reader of its own, is drawn anew before it is read,
apart and limited like every upload: the reader sees pixels of our own making.
"""

from collections.abc import Callable
from functools import wraps
from io import BytesIO
from typing import Any

import zxingcpp
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from PIL import Image

from apps.accounts import auth
from apps.accounts.pictures import uploads
from apps.accounts.pictures.drawing import Shape
from apps.coupons.claims import request_tokens
from apps.coupons.counter import redeeming
from apps.coupons.models import VoucherOrder
from apps.coupons.orders import redeem_codes
from apps.front import security_headers
from apps.web.htmx import is_htmx
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

#: A code that fills a tenth of the photo's width is read at this size, in a twentieth of a second.
SHAPE = Shape(side=1200)
FORMATS = zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode])


def _for_cashiers(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """The view for people who redeem coupons; a guest's page says that it is for staff."""

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
        code = read_code(photo, cashier_id=auth.require_user(request).pk)
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
        "done": redeeming.find_own_redemption(parse_row_id(request.GET.get("done")), user),
        "today": redeeming.list_today(user),
        "shops": redeeming.list_shop_names(user),
    }


def read_code(photo: "UploadedFile[bytes]", *, cashier_id: int) -> str:
    """The text of the QR code in a photo; Problem 422 no_code, and those of uploads.redraw."""
    drawn = uploads.redraw(photo, SHAPE, most_bytes=uploads.MAX_SHOWN_BYTES, owner_id=cashier_id)
    with Image.open(BytesIO(drawn.files[0])) as pixels:
        found = zxingcpp.read_barcodes(pixels.convert("L"), formats=FORMATS)
    texts = [one.text for one in found if one.text]
    if not texts:
        sentence = _("There is no QR code to be read in this photo. Go closer and hold the phone still.")
        raise Problem(422, "no_code", sentence)
    return texts[0]
