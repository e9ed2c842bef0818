"""A shop's own photos in the admin, beside the shop: uploaded, captioned, ordered, deleted."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display
from unfold.widgets import UnfoldAdminFileFieldWidget

from apps.accounts.pictures import uploads
from apps.accounts.pictures.drawing import Drawn
from apps.adminkit.change_forms import TabularInline
from apps.shops.models import ShopPhoto
from apps.shops.photos import shop_photos
from apps.web.in_language import columns
from apps.web.problems import Problem


class ShopPhotoForm(forms.ModelForm):
    """A new photo with its file, or the captions and the position of one."""

    # Not an ImageField: that one reads the file in this process.
    picture = forms.FileField(
        label=_("File"), required=False, widget=UnfoldAdminFileFieldWidget, help_text=_("At most 10 MB.")
    )

    class Meta:
        model = ShopPhoto
        fields = (*columns("caption"), "position")

    def clean_picture(self) -> Drawn | None:
        """The picture drawn anew in two sizes; a photo keeps its file."""
        sent = self.cleaned_data["picture"]
        if self.instance.pk:
            return None
        if sent is None:
            raise ValidationError(_("Choose a file."))
        try:
            return uploads.redraw(sent, uploads.SHOWN, most_bytes=uploads.MAX_SHOWN_BYTES)
        except Problem as refusal:
            raise ValidationError(refusal.detail, code=refusal.code) from refusal


class ShopPhotoFormSet(forms.BaseInlineFormSet):
    """The photos of a shop; every write goes through shop_photos."""

    def save_new(self, form: Any, commit: bool = True) -> ShopPhoto:  # noqa: FBT001, FBT002 - Django's signature
        photo: ShopPhoto = super().save_new(form, commit=False)
        return shop_photos.store(photo, form.cleaned_data["picture"]) if commit else photo

    def save_existing(self, form: Any, obj: Any, commit: bool = True) -> ShopPhoto:  # noqa: FBT001, FBT002
        photo: ShopPhoto = super().save_existing(form, obj, commit=False)
        if commit:
            shop_photos.save(photo)
        return photo

    def delete_existing(self, obj: Any, commit: bool = True) -> None:  # noqa: FBT001, FBT002
        if commit:
            shop_photos.delete([obj])


class ShopPhotoInline(TabularInline):
    model = ShopPhoto
    form = ShopPhotoForm
    formset = ShopPhotoFormSet
    fields = ("thumbnail", "picture", *columns("caption"), "position")
    readonly_fields = ("thumbnail",)
    extra = 0
    max_num = shop_photos.MAX_SHOP_PHOTOS
    tab = True

    @display(description=_("photo"))
    def thumbnail(self, photo: ShopPhoto) -> Any:
        if not photo.pk:
            return "-"
        return format_html(
            '<a href="{}"><img src="{}" alt="{}" width="96"></a>', photo.url, photo.card_url, _("Full size")
        )
