"""The pages on which an owner tells programs of a shop's orders."""

from collections.abc import Callable

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
from apps.accounts.forms import ShowsRefusals
from apps.accounts.models import User
from apps.coupons.models import Webhook
from apps.coupons.webhooks import endpoints
from apps.shops.members import own_shops
from apps.web import public_addresses
from apps.web.form_state import KeepsOthersChanges
from apps.web.problems import Problem


class WebhookForm(KeepsOthersChanges, ShowsRefusals, forms.Form):
    """Address and events of a webhook."""

    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=public_addresses.MAX_URL_LENGTH,
        widget=forms.TextInput({"inputmode": "url", "autocomplete": "off", "placeholder": "https://"}),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("When?"),
        choices=[(event.value, event.label) for event in endpoints.EVENTS],
        widget=forms.CheckboxSelectMultiple(),
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def webhooks(request: HttpRequest, shop_id: int) -> HttpResponse:
    """The webhooks of a shop and the form of a new one; POST registers it, and answers with its secret."""
    user = auth.require_user(request)
    shop, form, made = own_shops.require_owned_shop(shop_id, user), WebhookForm(request.POST or None), None
    if request.method == "POST" and form.is_valid():
        with form.show_refusals("url"):
            made = endpoints.register(shop, user, **form.cleaned_data)
            form = WebhookForm()
    about = {"shop": shop, "form": form, "made": made, "webhooks": endpoints.list_of(shop)}
    return _render(request, "coupons/webhooks.html", about, form)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def webhook(request: HttpRequest, shop_id: int, webhook_id: int) -> HttpResponse:
    """One webhook with its last deliveries; POST changes its address and events."""
    user = auth.require_user(request)
    shop = own_shops.require_owned_shop(shop_id, user)
    found = endpoints.get(shop, webhook_id)
    form = WebhookForm(request.POST or None, initial={"url": found.url, "events": found.event_list})
    if request.method == "POST" and form.is_valid():
        with form.show_refusals("url"):
            endpoints.change(found, user, **form.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect("coupons:webhook", shop.pk, found.pk)
    page = endpoints.list_deliveries(found, cursor=request.GET.get("cursor", ""))
    about = {"shop": shop, "form": form, "webhook": found, "deliveries": page.items, "next": page.next}
    return _render(request, "coupons/webhook.html", about, form)


@login_required
@require_POST
def try_out(request: HttpRequest, shop_id: int, webhook_id: int) -> HttpResponse:
    """Send a test event."""
    text = _("A test is on its way. Reload this page in a few seconds.")
    return _act(request, shop_id, webhook_id, lambda found: endpoints.send_test(found, _user(request)), text)


@login_required
@require_POST
def send_again(request: HttpRequest, shop_id: int, webhook_id: int, delivery_id: int) -> HttpResponse:
    """Send a delivery again."""

    def act(found: Webhook) -> object:
        return endpoints.send_again(found, delivery_id, _user(request))

    return _act(request, shop_id, webhook_id, act, _("It is on its way again."))


@login_required
@require_POST
def switch(request: HttpRequest, shop_id: int, webhook_id: int) -> HttpResponse:
    """Switch a webhook on (`on` 1) or off."""
    is_on = request.POST.get("on") == "1"
    text = _("The webhook is on.") if is_on else _("The webhook is off.")

    def act(found: Webhook) -> object:
        return endpoints.change(found, _user(request), is_on=is_on)

    return _act(request, shop_id, webhook_id, act, text)


@login_required
@require_POST
def remove(request: HttpRequest, shop_id: int, webhook_id: int) -> HttpResponse:
    """Remove a webhook."""
    user = auth.require_user(request)
    shop = own_shops.require_owned_shop(shop_id, user)
    endpoints.remove(endpoints.get(shop, webhook_id), user)
    messages.success(request, _("The webhook is removed."))
    return redirect("coupons:webhooks", shop.pk)


def _user(request: HttpRequest) -> User:
    return auth.require_user(request)


def _act(
    request: HttpRequest, shop_id: int, webhook_id: int, act: Callable[[Webhook], object], text: str
) -> HttpResponse:
    """Do something with a webhook, say how it went, and come back to its page."""
    shop = own_shops.require_owned_shop(shop_id, _user(request))
    try:
        act(endpoints.get(shop, webhook_id))
        messages.success(request, text)
    except Problem as refusal:
        messages.error(request, refusal.detail)
    return redirect("coupons:webhook", shop.pk, webhook_id)


def _render(request: HttpRequest, template: str, about: dict[str, object], form: WebhookForm) -> HttpResponse:
    response = render(request, template, about, status=form.status if form.errors else 200)
    if form.retry_after is not None:
        response["Retry-After"] = str(form.retry_after)
    return response
