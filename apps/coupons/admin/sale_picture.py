"""The form field of a voucher's picture: what is sent is drawn anew."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminImageFieldWidget

from apps.accounts.pictures import uploads
from apps.coupons.models import Voucher

HELP = _(
    "People buy what they see: a photo of what one gets, such as the dish, the pool or the room. Wider "
    "than tall, at least 960 pixels, at most 10 MB. A coupon without a picture shows the shop's."
)


class PictureField(forms.FileField):
    """An optional picture; not an ImageField, which would read the file in this process."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("label", _("Picture"))
        options.setdefault("help_text", HELP)
        super().__init__(required=False, widget=UnfoldAdminImageFieldWidget, **options)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """As any file field; admin.js shows the file that was chosen, before it is saved."""
        return super().widget_attrs(widget) | {"data-picture": ""}


def clean_picture(form: forms.BaseForm) -> Any:
    """The picture that was sent, drawn anew; or what the form's field held before. ValidationError."""
    return uploads.clean_sent(form, "picture", uploads.OF_A_ROW, most_bytes=uploads.MAX_SHOWN_BYTES)


def warn_without(request: HttpRequest, voucher: Voucher) -> None:
    """Say on the next page what a voucher without a picture shows."""
    if not voucher.picture:
        sentence = _("Saved without a picture: the site shows the shop's in its place.")
        messages.warning(request, sentence, fail_silently=True)  # a program has no next page
