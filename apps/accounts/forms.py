"""Forms of log-in, and what every form of accounts can do."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from apps.accounts import phones
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


class PasskeyForm(ShowsRefusals, forms.Form):
    """What a passkey has answered, as the browser's JSON; only a script fills it."""

    credential = forms.CharField(required=False, strip=False)


class NewPhoneForm(PhoneForm):
    """Step one of another phone: its number."""

    phone = forms.CharField(label=_("New phone number"), max_length=64, widget=forms.TextInput(PHONE_INPUT))


class ProvenPhoneForm(CodeForm):
    """The last step of a change of phone: new number, proof of the present phone, code of the new phone."""

    proof = forms.CharField(required=False, widget=forms.HiddenInput())
