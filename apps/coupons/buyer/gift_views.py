"""The pages of gifts: for who gives a coupon away, and for who opens the link."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts import auth
from apps.coupons import refusals
from apps.coupons.buyer import gifts, order_display, order_views
from apps.coupons.buyer.gifts import TakenGift
from apps.coupons.models import Gift
from apps.web.problems import Problem

#: Refusals of the words, or of now: the form comes back with what was written.
_FOR_THE_FORM = frozenset({403, 422, 429})


@require_http_methods(["GET", "POST"])
@never_cache
def give(request: HttpRequest, order_id: int) -> HttpResponse:
    """The page of the link that gives the person's own coupon away; POST makes the link."""
    user, words, refusal = auth.require_user(request), request.POST.get("words", ""), None
    if request.method == "POST":
        try:
            gifts.make(order_id, user=user, words=words)
        except Problem as why:
            if why.status not in _FOR_THE_FORM:
                return _back_to_order(request, order_id, why)
            refusal = why
        else:
            return redirect("coupons:give", order_id)
    order = order_views.get_own(order_id, user)
    link = gifts.build_link(request, order.gift_number) if order.gift_number else ""
    about = {
        "order": order,
        "state": order_display.state_name(order),
        "link": link,
        "chat_text": f"{order.gift_words} {link}".strip(),
        "max_words": Gift.MAX_WORDS_LENGTH,
        "words": words,
        "error": refusal.detail if refusal else "",
    }
    return render(request, "coupons/give.html", about, status=refusal.status if refusal else 200)


@require_POST
@never_cache
def end_link(request: HttpRequest, order_id: int) -> HttpResponse:
    """Take the link back, so that no person can take the coupon with it."""
    try:
        gifts.take_back(order_id, user=auth.require_user(request))
    except Problem as why:
        return _back_to_order(request, order_id, why)
    messages.success(request, _("The link is taken back. The coupon stays yours."))
    return redirect("coupons:order", order_id)


@require_GET
@never_cache
def gift(request: HttpRequest, token: str) -> HttpResponse:
    """What a gift is, with the button that takes it; its order for who has taken it."""
    user = auth.user_or_none(request)
    try:
        found = gifts.find(token, viewer_id=user.pk if user else None)
    except Problem as why:
        return _render_gone(request, why)
    if isinstance(found, TakenGift):
        return redirect("coupons:order", found.order_id)
    is_own = user is not None and found.order.user_id == user.pk
    return render(request, "coupons/gift.html", {"gift": found, "token": token, "is_own": is_own})


@require_POST
@never_cache
def take(request: HttpRequest, token: str) -> HttpResponse:
    """Take a gift; on to its order, or back to the link's page with the reason."""
    user = auth.require_user(request)
    try:
        order_id = gifts.take(token, user=user)
    except Problem as why:
        if why.status in {404, 410}:
            return _render_gone(request, why)
        messages.warning(request, why.detail)
        return redirect("coupons:gift", token)
    messages.success(request, _("It is yours. Show its code in the shop."))
    return redirect("coupons:order", order_id)


def _back_to_order(request: HttpRequest, order_id: int, why: Problem) -> HttpResponse:
    if why.status == 404 or why.code == refusals.ORDER_LOST.code:
        raise why
    messages.warning(request, why.detail)
    return redirect("coupons:order", order_id)


def _render_gone(request: HttpRequest, why: Problem) -> HttpResponse:
    return render(request, "coupons/gift_gone.html", {"detail": why.detail}, status=why.status)
