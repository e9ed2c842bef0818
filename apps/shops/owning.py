"""Owners write their shops: pages, forms and verbs of a shop's texts, opening hours and photos."""

from collections.abc import Sequence
from typing import Any

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
from apps.accounts.pictures import uploads
from apps.accounts.profiles import suspensions
from apps.accounts.text_fields import LinesFormField, validate_line, validate_lines
from apps.adminkit import history
from apps.shops import changes, hours, hours_text, photos, shop_hours
from apps.shops.hours import Schedule
from apps.shops.hours_form import WORDS_HELP, HoursField, HoursFormMixin, HoursPreviewForm
from apps.shops.members import own_shops
from apps.shops.models import Shop, ShopPhoto
from apps.shops.shop_hours import describe_doubt
from apps.web.form_state import KeepsOthersChanges
from apps.web.in_language import columns
from apps.web.problems import Problem

HOURS_NAMES = ("schedule", *columns("hours"))


class ShopTextsForm(HoursFormMixin, KeepsOthersChanges, ShowsRefusals, forms.ModelForm[Shop]):
    """Not name, place and type: guests find the shop by those, and staff changes them."""

    schedule = HoursField(label=gettext_lazy("Opening hours"), required=False)

    class Meta:
        model = Shop
        fields = (*columns("about"), "schedule", *columns("hours"), "phone")
        field_classes = {name: LinesFormField for name in columns("about")}
        widgets = {name: forms.Textarea({"rows": 4}) for name in columns("about")}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, field in self.fields.items():
            if name != "schedule":
                field.validators.append(validate_lines if name in columns("about") else validate_line)
        for name in columns("hours"):
            self.fields[name].help_text = WORDS_HELP

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self.clean_hours(cleaned)
        return cleaned


class PhotoForm(ShowsRefusals, forms.ModelForm[ShopPhoto]):
    """A photo and what it shows."""

    picture = forms.FileField(
        label=gettext_lazy("Photo"),
        widget=forms.FileInput({"accept": "image/*"}),
        help_text=gettext_lazy("At most 10 MB."),
    )

    class Meta:
        model = ShopPhoto
        fields = ("picture", *columns("caption"))

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in columns("caption"):
            self.fields[name].validators.append(validate_line)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, shop_id: int) -> HttpResponse:
    """The form of the shop's texts and its photos; POST saves the texts."""
    user = auth.require_user(request)
    shop = own_shops.require_owned_shop(shop_id, user)
    form = ShopTextsForm(request.POST or None, instance=shop)
    if request.method == "POST" and form.is_valid():
        with form.show_refusals():
            save_texts(shop, form.written_columns, user)
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
    shop = own_shops.require_owned_shop(shop_id, user)
    form = PhotoForm(request.POST, request.FILES, instance=ShopPhoto(shop=shop))
    if form.is_valid():
        with form.show_refusals("picture"):
            store_photo(form.instance, form.cleaned_data["picture"], user)
            messages.success(request, _("The photo is on the shop's page."))
            return redirect("shops:edit", shop.pk)
    return _render(request, shop, ShopTextsForm(instance=shop), form)


@login_required
@require_POST
def delete_photo(request: HttpRequest, shop_id: int, photo_id: int) -> HttpResponse:
    """Delete one of the shop's photos and come back."""
    user = auth.require_user(request)
    shop = own_shops.require_owned_shop(shop_id, user)
    try:
        if remove_photo(shop, photo_id, user):
            messages.success(request, _("The photo is deleted."))
    except Problem as problem:
        messages.error(request, problem.detail)
    return redirect("shops:edit", shop.pk)


def _render(request: HttpRequest, shop: Shop, form: ShopTextsForm, photo_form: PhotoForm) -> HttpResponse:
    about = {"shop": shop, "form": form, "photo_form": photo_form, "photos": shop.photos.all()}
    refused = next((one for one in (form, photo_form) if one.errors), None)
    return render(request, "shops/edit.html", about, status=refused.status if refused else 200)


def save_texts(shop: Shop, changed: Sequence[str], user: User) -> None:
    """Save what an owner has changed; Problem 403 suspended."""
    suspensions.require_may_write(user)
    if changed:
        changes.save(shop, update_fields=changed)
        history.record_event(user.pk, str(shop), ", ".join(changed))


def save_schedule(shop: Shop, schedule: Schedule, user: User) -> None:
    """Save hours that a program sends, in place of any words; Problem 403 suspended."""
    shop.schedule = hours.dump(schedule)
    for column in columns("hours"):
        setattr(shop, column, "")
    save_texts(shop, ["schedule", *columns("hours")], user)


def store_photo(photo: ShopPhoto, picture: Any, user: User) -> ShopPhoto:
    """Store a photo behind the others; Problem 403, 413, 422 bad_picture or too_many, 429, 503."""
    suspensions.require_may_write(user)
    known = ShopPhoto.objects.filter(shop=photo.shop)
    if known.count() >= photos.MAX_SHOP_PHOTOS:
        sentence = _("A shop has at most %(most)d photos. Remove one first.")
        raise Problem(422, "too_many", sentence % {"most": photos.MAX_SHOP_PHOTOS})
    photo.position = max(known.values_list("position", flat=True), default=0) + 1
    drawn = uploads.redraw(picture, uploads.SHOWN, most_bytes=uploads.MAX_SHOWN_BYTES, owner_id=user.pk)
    return photos.store(photo, drawn)


def remove_photo(shop: Shop, photo_id: int, user: User) -> bool:
    """Delete a photo of the shop; whether there was one. Problem 403 suspended."""
    suspensions.require_may_write(user)
    found = list(ShopPhoto.objects.filter(shop=shop, pk=photo_id))
    photos.delete(found)
    return bool(found)
