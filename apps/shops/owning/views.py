"""The pages on which an owner writes what the shop says of itself, and its photos."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth
from apps.shops import hours, hours_text, shop_hours
from apps.shops.hours_form import HoursPreviewForm
from apps.shops.members import access
from apps.shops.models import Shop, ShopPhoto
from apps.shops.owning import writing
from apps.shops.owning.forms import PhotoForm, ShopTextsForm
from apps.shops.shop_hours import describe_doubt
from apps.web.in_language import columns
from apps.web.problems import Problem

HOURS_NAMES = ("schedule", *columns("hours"))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, shop_id: int) -> HttpResponse:
    """The form of the shop's texts and its photos; POST saves the texts."""
    user = auth.require_user(request)
    shop = access.owned_shop(shop_id, user)
    form = ShopTextsForm(request.POST or None, instance=shop)
    if request.method == "POST" and form.is_valid():
        with form.show_refusals():
            writing.save_texts(shop, form.written_columns, user)
            messages.success(request, _("Saved."))
            if doubt := describe_doubt(shop):
                messages.warning(request, doubt)
            return redirect("shops:edit", shop.pk)
    return _render(request, shop, form, PhotoForm())


@never_cache
@require_POST
def hours_preview(request: HttpRequest) -> HttpResponse:
    """The week as people will read it, of the rows that a form has now.

    It holds nothing of a person: the admin's form asks for it too, by people without a log-in on the site.
    """
    form = HoursPreviewForm(request.POST)
    form.is_valid()
    cleaned = form.cleaned_data
    written = Shop(**{name: cleaned.get(name, "") for name in HOURS_NAMES})
    doubt = describe_doubt(written)
    if not written.schedule and (found := hours_text.read_all([written.hours_en, written.hours_zh])):
        written.schedule = hours.dump(found)
    about = {"errors": form.errors, "doubt": doubt, "opening": shop_hours.build_opening(written)}
    return render(request, "shops/_hours_preview.html", about)


@never_cache
@login_required
@require_POST
def add_photo(request: HttpRequest, shop_id: int) -> HttpResponse:
    """Keep one more photo of the shop."""
    user = auth.require_user(request)
    shop = access.owned_shop(shop_id, user)
    form = PhotoForm(request.POST, request.FILES, instance=ShopPhoto(shop=shop))
    if form.is_valid():
        with form.show_refusals("picture"):
            writing.add_photo(form.instance, form.cleaned_data["picture"], user)
            messages.success(request, _("The photo is on the shop's page."))
            return redirect("shops:edit", shop.pk)
    return _render(request, shop, ShopTextsForm(instance=shop), form)


@login_required
@require_POST
def delete_photo(request: HttpRequest, shop_id: int, photo_id: int) -> HttpResponse:
    """Delete one of the shop's photos and come back."""
    user = auth.require_user(request)
    shop = access.owned_shop(shop_id, user)
    try:
        if writing.delete_photo(shop, photo_id, user):
            messages.success(request, _("The photo is deleted."))
    except Problem as problem:
        messages.error(request, problem.detail)
    return redirect("shops:edit", shop.pk)


def _render(request: HttpRequest, shop: Shop, form: ShopTextsForm, photo_form: PhotoForm) -> HttpResponse:
    about = {"shop": shop, "form": form, "photo_form": photo_form, "photos": shop.photos.all()}
    refused = next((one for one in (form, photo_form) if one.errors), None)
    return render(request, "shops/edit.html", about, status=refused.status if refused else 200)
