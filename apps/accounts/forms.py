"""Forms of log-in and profile."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts import phones
from apps.accounts.models import User
from apps.accounts.profiles import avatars, city_names
from apps.redis_kit import client
from apps.web.problems import Problem, translation

PHONE_INPUT = {"type": "tel", "inputmode": "tel", "autocomplete": "tel", "placeholder": "138 0013 8000"}
CODE_INPUT = {
    "class": "otp",
    "data-otp": "",
    "data-submit": "",
    "inputmode": "numeric",
    "autocomplete": "one-time-code",
    "maxlength": "16",
    "autofocus": True,
}


class ShowsRefusals(forms.BaseForm):
    """A form that shows what its verb refuses."""

    #: What a page that shows this form again answers with.
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    retry_after: int | None = None

    @contextmanager
    def show_refusals(self, field: str | None = None) -> Iterator[None]:
        """Show a Problem that is raised inside the block as an error of this form."""
        try:
            yield
        except (Problem, *client.UNAVAILABLE) as error:
            problem = translation.translate(error)
            self.status, self.retry_after = HTTPStatus(problem.status), problem.retry_after
            self.add_error(field, problem.detail)


class PhoneForm(ShowsRefusals, forms.Form):
    """Step one of a log-in: the phone; `cleaned_data["phone"]` is E.164."""

    phone = forms.CharField(label=_("Phone number"), max_length=64, widget=forms.TextInput(PHONE_INPUT))

    def clean_phone(self) -> str:
        try:
            return phones.parse(self.cleaned_data["phone"])
        except phones.BadPhone as error:
            raise ValidationError(error.args[0], code="phone") from None


class CodeForm(PhoneForm):
    """Step two of a log-in: the phone and the code."""

    phone = forms.CharField(max_length=64, widget=forms.HiddenInput())
    code = forms.CharField(label=_("Code"), max_length=16, widget=forms.TextInput(CODE_INPUT))

    @property
    def sent_to(self) -> str:
        return str(self["phone"].value() or "")


class NewPhoneForm(PhoneForm):
    """Step one of another phone: its number."""

    phone = forms.CharField(label=_("New phone number"), max_length=64, widget=forms.TextInput(PHONE_INPUT))


class ProvenPhoneForm(CodeForm):
    """The last step of another phone: its number, the proof of the present phone, and the new one's code."""

    proof = forms.CharField(required=False, widget=forms.HiddenInput())


class ProfileForm(ShowsRefusals, forms.ModelForm[User]):
    """Nickname, bio, city and picture of a user; the picture is re-encoded while it is checked."""

    picture = forms.FileField(
        label=_("New picture"),
        required=False,
        widget=forms.FileInput({"accept": "image/jpeg,image/png,image/webp,image/gif"}),
        help_text=_("Of a moving picture the first frame is shown."),
    )
    without_picture = forms.BooleanField(label=_("Remove my picture"), required=False)

    class Meta:
        model = User
        fields = ("nickname", "bio", "city")
        widgets: ClassVar = {"bio": forms.Textarea({"rows": 3})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.avatar:
            self.fields["picture"].label = pgettext_lazy("person", "Picture")

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> Any:
        """The city in the reader's language: either name of a known city stands for it."""
        value = super().get_initial_for_field(field, field_name)
        return city_names.localize(value) if field_name == "city" and value else value

    def clean_picture(self) -> bytes | None:
        picture: Any = self.cleaned_data["picture"]
        try:
            if isinstance(picture, UploadedFile):
                return avatars.redraw(picture, owner_id=self.instance.pk)
            return None
        except Problem as problem:
            if problem.retry_after:
                self.status, self.retry_after = HTTPStatus(problem.status), problem.retry_after
            raise ValidationError(problem.detail, code=problem.code) from None
