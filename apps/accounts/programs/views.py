"""The page of a person's tokens for programs, and the form of a new one."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth, second_factor
from apps.accounts.forms import ShowsRefusals
from apps.accounts.models import User
from apps.accounts.programs import program_tokens
from apps.accounts.sessions.scopes import Scope

SCOPES = (
    (Scope.READ.value, _("Read what you can see, but for your orders")),
    (Scope.WRITE.value, _("Write notes and comments, save, follow, and change your profile")),
    (Scope.ORDERS.value, _("Read your orders with their codes, grab, pay, cancel, refund")),
)
OPERATIONS = (Scope.OPERATIONS.value, _("Run the site: figures, logs, maintenance and settings"))
DAYS = (
    ("7", _("7 days")),
    ("30", _("30 days")),
    ("90", _("90 days")),
    ("366", _("a year")),
    ("", _("never")),
)
_CODE_INPUT = {"inputmode": "numeric", "autocomplete": "one-time-code", "maxlength": "16"}


class NewTokenForm(ShowsRefusals, forms.Form):
    """Name, scopes and end of a token; staff choose "operations" too, with a code of their second factor."""

    name = forms.CharField(
        label=_("Name"),
        max_length=50,
        widget=forms.TextInput({"placeholder": _("Price watcher on my server"), "autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("What may it do?"), choices=SCOPES, widget=forms.CheckboxSelectMultiple()
    )
    days = forms.ChoiceField(label=_("Ends after"), choices=DAYS, initial="90", required=False)
    code = forms.CharField(
        label=_("Code of your authenticator"),
        max_length=16,
        required=False,
        help_text=_("Only for a token that runs the site."),
        widget=forms.TextInput(_CODE_INPUT),
    )

    def __init__(self, data: Mapping[str, Any] | None, *, user: User) -> None:
        super().__init__(data)
        self._user = user
        if user.is_staff:
            self.fields["scopes"] = forms.MultipleChoiceField(
                label=_("What may it do?"),
                choices=(*SCOPES, OPERATIONS),
                widget=forms.CheckboxSelectMultiple(),
            )
        if not (user.is_staff and second_factor.is_set_up(user)):
            del self.fields["code"]

    def save(self) -> program_tokens.NewToken | None:
        """Make the token; None when its name is refused, which the form then says."""
        try:
            return program_tokens.make(self._user, **self.cleaned_data)
        except ValidationError as error:
            self.add_error(None, error)
            return None

    def clean_days(self) -> int | None:
        chosen = self.cleaned_data["days"]
        return int(chosen) if chosen else None


@sensitive_post_parameters("code")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def show(request: HttpRequest) -> HttpResponse:
    """The tokens and the form of a new one; POST makes it, and answers with it once."""
    user = auth.require_user(request)
    form, made = NewTokenForm(request.POST or None, user=user), None
    if request.method == "POST" and form.is_valid():
        with form.show_refusals():
            made = form.save()
            form = NewTokenForm(None, user=user) if made else form
    about = {"form": form, "made": made, "tokens": program_tokens.list_own(user)}
    status = form.status if form.errors else 200
    response = render(request, "accounts/program_tokens.html", about, status=status)
    if form.retry_after:
        response["Retry-After"] = str(form.retry_after)
    return response


@login_required
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke one token."""
    program_tokens.revoke(auth.require_user(request), token_id)
    messages.success(request, gettext("That token works no longer."))
    return redirect("accounts:program_tokens")
