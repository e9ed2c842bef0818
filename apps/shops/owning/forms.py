"""The forms of an owner: what the shop says of itself, and one more photo."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from apps.accounts.forms import ShowsRefusals
from apps.accounts.text_fields import LinesFormField, validate_line, validate_lines
from apps.shops.hours_form import WORDS_HELP, HoursField, HoursFormMixin
from apps.shops.models import Shop, ShopPhoto
from apps.web.form_state import KeepsOthersChanges
from apps.web.in_language import columns


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
