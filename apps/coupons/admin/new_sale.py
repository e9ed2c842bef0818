"""The admin's page that creates a flash sale."""

from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.adminkit import history
from apps.coupons import live_settings
from apps.coupons.admin import drafts, sale_picture
from apps.coupons.admin.sale_forms import NewSaleForm
from apps.coupons.catalog import sales, vouchers
from apps.coupons.models import FlashSale
from apps.redis_kit import client
from apps.shops.members import own_shops

REDIS_UNAVAILABLE = gettext_lazy(
    "New sales can't be saved right now. Nothing was saved: press again in a moment."
)
#: Numbers of fewer digits fit into a row's id.
MAX_ID_DIGITS = 19


@permission_required("coupons.add_flashsale", raise_exception=True)
def view(request: HttpRequest) -> HttpResponse:
    """GET shows the form, with ?copy= filled in from a sale; POST makes the sale and goes to its page."""
    form = NewSaleForm(request.POST, request.FILES) if request.method == "POST" else _blank_form(request)
    form.offer_own(request.user)
    voucher_id = _submit(request, form) if form.is_valid() else None
    if voucher_id is not None:
        return redirect(f"{reverse('admin:coupons_flashsale_change', args=[voucher_id])}?made=1")
    context = admin.site.each_context(request) | {"title": _("New flash sale"), "form": form}
    context["minutes_to_pay"] = live_settings.minutes_to_pay()
    return render(request, "admin/coupons/new_flash_sale.html", context)


def _blank_form(request: HttpRequest) -> NewSaleForm:
    copied = request.GET.get("copy", "")
    sales_by_id = own_shops.restrict(
        FlashSale.objects.select_related("voucher"), request.user, "voucher__shop"
    )
    if copied.isascii() and copied.isdigit() and len(copied) < MAX_ID_DIGITS:
        return NewSaleForm.copy_of(get_object_or_404(sales_by_id, pk=int(copied)))
    return NewSaleForm.empty()


def _submit(request: HttpRequest, form: NewSaleForm) -> int | None:
    """The draft's sale, made now or by an earlier submission; None leaves the reason in the form."""
    draft = form.cleaned_data["draft"]
    try:
        if not drafts.reserve(draft):
            return _find_earlier_sale(request, form)
        return _create_sale(request, form)
    except client.UNAVAILABLE:
        form.add_error(None, str(REDIS_UNAVAILABLE))
        return None


def _find_earlier_sale(request: HttpRequest, form: NewSaleForm) -> int | None:
    voucher_id = drafts.wait_for_sale_id(form.cleaned_data["draft"])
    if voucher_id is None:
        form.add_error(
            None, _("This form is being saved. Look into the list of sales before you press again.")
        )
    else:
        messages.info(request, _("This form was sent before: here is the sale it made."))
    return voucher_id


def _create_sale(request: HttpRequest, form: NewSaleForm) -> int | None:
    made: list[FlashSale] = []
    try:
        with transaction.atomic():
            # Before the load, which the verb puts behind it: a second press finds the sale at once.
            transaction.on_commit(lambda: drafts.record_sale(form.cleaned_data["draft"], made[0].pk))
            made.append(sales.create(form.voucher, form.terms))
            vouchers.schedule_after_commit(made[0].voucher)
            history.record_added(request, made[0])
    except ValidationError as error:
        drafts.release(form.cleaned_data["draft"])
        _add_form_errors(form, error)
        return None
    except client.UNAVAILABLE:
        messages.warning(request, _("Saved. Buyers can't grab yet: the sale opens by itself in a moment."))
    sale_picture.warn_without(request, made[0].voucher)
    return made[0].pk


def _add_form_errors(form: NewSaleForm, error: ValidationError) -> None:
    for name, reasons in error.message_dict.items():
        form.add_error(name if name in form.fields else None, reasons)
