"""The pages on which somebody says that a shop is theirs, or proposes one."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts import auth
from apps.shops.claims import access, deciding
from apps.shops.claims.forms import ClaimForm, ProposalForm
from apps.shops.members import own_shops


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def claim(request: HttpRequest, shop_id: int) -> HttpResponse:
    """What became of one's claim, or the form of one (GET); send it (POST)."""
    user = auth.require_user(request)
    shop, known = access.claimable_shop(shop_id, user)
    form = ClaimForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and not shop.is_listed:
        raise Http404
    if request.method == "POST" and form.is_valid():
        with form.show_refusals():
            deciding.submit(shop, user, form.cleaned_data["text"], form.cleaned_data["picture"])
            messages.success(request, _("Thank you. We look at it, and you get a notification."))
            return redirect("shops:claim", shop.pk)
    about = {"shop": shop, "claim": known, "form": form, "owns": own_shops.owns(user, shop.pk)}
    return render(request, "shops/claim.html", about, status=form.status if form.errors else 200)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def propose(request: HttpRequest) -> HttpResponse:
    """The form of a missing shop (GET); keep it for staff (POST)."""
    user, form = auth.require_user(request), ProposalForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.show_refusals():
            sent = form.cleaned_data
            made = deciding.propose(form.build_shop(), user, sent["text"], is_owner=sent["is_owner"])
            messages.success(request, _("Thank you. We look at it, and you get a notification."))
            return redirect("shops:claim", made.shop_id)
    return render(request, "shops/propose.html", {"form": form}, status=form.status if form.errors else 200)
