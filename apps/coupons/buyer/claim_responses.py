"""Responses to claims: JSON to programs; to a page's form 303, to the order or back with the reason."""

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode

from apps.web.problems import Problem


class SeeOther(HttpResponseRedirect):
    """303: a browser gets the next page with GET, whatever it sent; Django has no class for it."""

    status_code = 303


def accepted(body: str) -> HttpResponse:
    """What a program gets for an accepted claim, with the JSON of its Receipt."""
    return HttpResponse(body, status=201, content_type="application/json; charset=utf-8")


def to_order(order_id: int) -> SeeOther:
    """The redirect after an accepted claim."""
    return SeeOther(reverse("coupons:order", args=[order_id]))


def after_refusal(voucher_id: int, why: Problem) -> SeeOther:
    """The redirect to the order one has, to the log-in, or to the sale's page with `?reason=<code>`, and with
    `left` where the reason has a number.
    """
    if why.code == "already_bought":
        return to_order(int(str(why.extra["order_id"])))
    page = reverse("coupons:sale", args=[voucher_id])
    if why.status == 401:
        return SeeOther(f"{reverse('accounts:login')}?{urlencode({'next': page})}")
    numbers = [("left", str(number)) for number in why.extra.values() if isinstance(number, int)]
    return SeeOther(f"{page}?{urlencode([('reason', why.code), *numbers])}")
