"""Forms of log-in, and what every form of accounts can do."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.utils.translation import gettext_lazy as _

from apps.accounts import phones
from apps.redis_kit import client
from apps.web import characters
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


#: Characters that a mail server takes at most (RFC 5321, section 4.5.3.1).
MAX_EMAIL_LENGTH = 254
#: Not "localhost" either. A quoted name or a number as the domain (RFC 5321) is nobody's address.
_validate_email = EmailValidator(_("This is no e-mail address that we can write to."), allowlist=[])
_ODD_EMAIL_SIGNS = frozenset('"[')


def parse_email(text: str) -> str:
    """The address in plain small letters, as it is stored, compared and written to; ValidationError.

    Before the "@", too: Bob@ and bob@ are two mailboxes by the standard, but hardly anywhere in fact. Where
    they are, the codes of both go to bob@ alone. A domain of another script may be given as "xn--".
    """
    address = characters.fold(text)
    if not address.isascii() or _ODD_EMAIL_SIGNS & set(address) or len(address) > MAX_EMAIL_LENGTH:
        raise ValidationError(_validate_email.message, code="invalid")
    _validate_email(address)
    return address


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


class LogInForm(PhoneForm):
    """Step one of a log-in: a phone, or an e-mail address where settings.LOGIN_EMAIL is on.

    `cleaned_data["phone"]` is E.164, or as parse_email returns it.
    """

    phone = forms.CharField(
        label=_("Phone number"), max_length=MAX_EMAIL_LENGTH, widget=forms.TextInput(PHONE_INPUT)
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["phone"]
        if settings.LOGIN_EMAIL and isinstance(field.widget, forms.TextInput):
            field.label = _("Phone number or e-mail")
            field.help_text = _("By e-mail once you have added your address under Me.")
            field.widget.input_type = "text"
            field.widget.attrs |= {"inputmode": "email", "autocomplete": "username"}

    def clean_phone(self) -> str:
        typed = self.cleaned_data["phone"]
        if settings.LOGIN_EMAIL and "@" in characters.fold(typed):
            return parse_email(typed)
        return super().clean_phone()


class LogInCodeForm(LogInForm, CodeForm):
    """Step two of a log-in: the phone or e-mail address, and the code."""

    phone = forms.CharField(max_length=MAX_EMAIL_LENGTH, widget=forms.HiddenInput())


class EmailForm(ShowsRefusals, forms.Form):
    """The address by which a person wants to log in; `cleaned_data["email"]` is as parse_email returns it."""

    email = forms.CharField(
        label=_("E-mail address"),
        max_length=MAX_EMAIL_LENGTH,
        widget=forms.EmailInput({"autocomplete": "email"}),
    )

    def clean_email(self) -> str:
        return parse_email(self.cleaned_data["email"])


class EmailCodeForm(EmailForm):
    """The address and the code that was mailed to it."""

    email = forms.CharField(max_length=MAX_EMAIL_LENGTH, widget=forms.HiddenInput())
    code = forms.CharField(label=_("Code"), max_length=16, widget=forms.TextInput(CODE_INPUT))


class PasskeyForm(ShowsRefusals, forms.Form):
    """What a passkey has answered, as the browser's JSON; only a script fills it."""

    credential = forms.CharField(required=False, strip=False)


class NewPhoneForm(PhoneForm):
    """Step one of another phone: its number."""

    phone = forms.CharField(label=_("New phone number"), max_length=64, widget=forms.TextInput(PHONE_INPUT))


class ProvenPhoneForm(CodeForm):
    """The last step of a change of phone: new number, proof of the present phone, code of the new phone."""

    proof = forms.CharField(required=False, widget=forms.HiddenInput())
