"""The page on which an owner says who redeems the coupons of a shop."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth
from apps.accounts.forms import PHONE_INPUT, PhoneForm
from apps.shops.members import membership, own_shops
from apps.web.problems import Problem


class CashierForm(PhoneForm):
    """The phone of a person who shall redeem coupons."""

    phone = forms.CharField(
        label=gettext_lazy("Their phone number"), max_length=64, widget=forms.TextInput(PHONE_INPUT)
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def people(request: HttpRequest, shop_id: int) -> HttpResponse:
    """The people of a shop; POST adds a cashier by phone."""
    user = auth.require_user(request)
    shop, form = own_shops.require_owned_shop(shop_id, user), CashierForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.show_refusals("phone"):
            member = membership.add_cashier(shop, form.cleaned_data["phone"], added_by=user)
            message = _("%(name)s can redeem coupons of this shop now.") % {"name": member.user.nickname}
            messages.success(request, message)
            return redirect("shops:people", shop.pk)
    about = {"shop": shop, "form": form, "members": membership.list_people(shop)}
    answer = render(request, "shops/people.html", about, status=form.status if form.errors else 200)
    if form.retry_after is not None:
        answer["Retry-After"] = str(form.retry_after)
    return answer


@login_required
@require_POST
def remove(request: HttpRequest, shop_id: int, user_id: int) -> HttpResponse:
    """End a cashier's work at the shop and come back to its people."""
    user = auth.require_user(request)
    shop = own_shops.require_owned_shop(shop_id, user)
    try:
        gone = membership.remove_cashier(shop, user_id, removed_by=user)
    except Problem as refusal:
        messages.error(request, refusal.detail)
    else:
        if gone:
            messages.success(request, _("%(name)s can't redeem any more.") % {"name": gone.nickname})
    return redirect("shops:people", shop.pk)
