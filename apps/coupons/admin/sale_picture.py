"""The form field of a voucher's picture: what is sent is drawn anew."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminImageFieldWidget

from apps.accounts.pictures import uploads
from apps.accounts.pictures.drawing import Shape


class PictureField(forms.FileField):
    """An optional picture; not an ImageField, which would read the file in this process."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("label", _("Picture"))
        options.setdefault("help_text", _("At most 10 MB. Without one the shop's picture is shown in lists."))
        super().__init__(required=False, widget=UnfoldAdminImageFieldWidget, **options)


def clean_picture(form: forms.BaseForm) -> Any:
    """The picture that was sent, drawn anew; or what the form's field held before. ValidationError."""
    shape = Shape(side=uploads.LARGE_PIXELS)
    return uploads.clean_sent(form, "picture", shape, most_bytes=uploads.MAX_SHOWN_BYTES)
