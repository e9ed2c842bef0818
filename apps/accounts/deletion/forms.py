"""Forms of a deletion: what a person gives up, and the code that was sent to the phone."""

from typing import Any

from django import forms

from apps.accounts.forms import CodeForm, ShowsRefusals


class GiveUpForm(ShowsRefusals, forms.Form):
    """Step one: whether the person gives up what they have not used."""

    give_up = forms.BooleanField(required=False)


class DeletionCodeForm(CodeForm):
    """Step two: the code, and what was given up. Six digits delete nothing: the button does."""

    give_up = forms.BooleanField(required=False, widget=forms.HiddenInput())

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        del self.fields["code"].widget.attrs["data-submit"]
