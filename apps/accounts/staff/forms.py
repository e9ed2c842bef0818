"""Forms of managers: log-in, second factor, new password."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import password_validators_help_texts, validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _
from unfold.forms import AuthenticationForm
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextInputWidget

from apps.accounts import codes, limits, phones, second_factor
from apps.accounts.forms import PhoneForm, ShowsRefusals
from apps.accounts.models import User
from apps.accounts.sessions import tokens
from apps.accounts.staff import audit
from apps.web import client_address
from apps.web.problems import Problem

CODE_ATTRIBUTES = {"autocomplete": "one-time-code", "inputmode": "text", "maxlength": "16"}
SITE_CODE_INPUT = {"autocomplete": "one-time-code", "maxlength": "16", "autofocus": True}


class SecondFactorField(forms.CharField):
    """A code of the authenticator, or a backup code."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=16, widget=UnfoldAdminTextInputWidget(CODE_ATTRIBUTES), **options)


def optional_code() -> SecondFactorField:
    """The field for a code where only some managers have a second factor."""
    return SecondFactorField(
        label=_("Code of your authenticator"),
        required=False,
        help_text=_("Leave it empty unless you have set up a second factor."),
    )


class StaffLogInForm(AuthenticationForm):  # type: ignore[misc]
    """The admin's log-in: phone, written in any usual way, password, second factor; guesses are limited."""

    code = optional_code()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = pgettext("person", "Phone")

    def clean(self) -> dict[str, Any]:
        phone = phones.canonical(str(self.cleaned_data.get("username", "")))
        ip = client_address.client_ip(self.request)
        try:
            cleaned = self._check(phone, ip)
        except ValidationError as error:
            audit.record_refused(phone, ip=ip, why=str(error.code or "password"))
            raise
        if self.get_user():
            audit.record_log_in(self.get_user(), ip=ip)
        return cleaned

    def _check(self, phone: str, ip: str) -> dict[str, Any]:
        """The cleaned data of a right log-in; ValidationError."""
        try:
            limits.charge_password(phone, ip=ip)
        except Problem as problem:
            raise ValidationError(problem.detail, code=problem.code) from None
        cleaned = dict(super().clean())
        user = self.get_user()
        if user is not None:
            second_factor.check_log_in(user, cleaned.get("code", ""))
        return cleaned


class SecondFactorForm(forms.Form):
    """A code that proves the authenticator."""

    code = SecondFactorField(label=_("Code of your authenticator"))


class SiteSecondFactorForm(ShowsRefusals, forms.Form):
    """The same on a page of the site."""

    code = forms.CharField(
        label=_("Code of your authenticator"), max_length=16, widget=forms.TextInput(SITE_CODE_INPUT)
    )


class StaffPhoneForm(PhoneForm):
    """Step one of a new password: the manager's phone."""

    phone = forms.CharField(
        label=_("Phone number"),
        max_length=64,
        widget=UnfoldAdminTextInputWidget({"type": "tel", "autocomplete": "tel", "autofocus": True}),
    )


class NewPasswordForm(PhoneForm):
    """Step two: the code that was sent to the phone, the new password twice, and the second factor."""

    phone = forms.CharField(max_length=64, widget=forms.HiddenInput())
    sent_code = forms.CharField(
        label=_("Code that we sent to your phone"),
        max_length=16,
        widget=UnfoldAdminTextInputWidget(CODE_ATTRIBUTES | {"inputmode": "numeric"}),
    )
    password = forms.CharField(
        label=_("New password"),
        strip=False,
        max_length=128,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("New password, once more"),
        strip=False,
        max_length=128,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
    )
    code = optional_code()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = " ".join(password_validators_help_texts())

    def clean(self) -> dict[str, Any]:
        cleaned = dict(super().clean() or {})
        if cleaned.get("password") != cleaned.get("again"):
            self.add_error("again", _("The two passwords are not the same."))
        elif cleaned.get("password"):
            # Before the code is used up; the phone is the only fact that the page may show to know.
            try:
                validate_password(cleaned["password"], User(phone=cleaned.get("phone", "")))
            except ValidationError as error:
                self.add_error("password", error)
        return cleaned

    def save(self, *, ip: str, code_request: str) -> bool:
        """Set the password and end every log-in of the manager; False when the form has errors now."""
        try:
            with self.show_refusals("sent_code"):
                self._set_password(self._find_manager(ip, code_request))
        except ValidationError as error:
            self.add_error("code", error)
        return not self.errors

    def _find_manager(self, ip: str, code_request: str) -> User:
        """The manager whose phone, sent code and second factor these are; ValidationError, Problem 400, 429.

        A phone without a manager is answered as a wrong code.
        """
        given = self.cleaned_data
        codes.check(given["phone"], given["sent_code"], ip=ip, holder=code_request)
        user = User.objects.filter(phone=given["phone"], is_staff=True, is_active=True).first()
        if user is None:
            raise codes.wrong_code()
        second_factor.check_log_in(user, given["code"])
        return user

    def _set_password(self, user: User) -> None:
        user.set_password(self.cleaned_data["password"])
        user.save(update_fields=["password"])
        tokens.revoke_all(user.pk)
        audit.record(user, gettext("set a new password by a code sent to the phone"))
