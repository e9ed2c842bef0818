"""Forms of a deletion: what a person gives up, and the code that was sent to the phone."""

from django import forms

from apps.accounts.forms import CodeForm, ShowsRefusals


class GiveUpForm(ShowsRefusals, forms.Form):
    """Step one: whether the person gives up what they have not used."""

    give_up = forms.BooleanField(required=False)


class DeletionCodeForm(CodeForm):
    """Step two: the code, and what was given up."""

    give_up = forms.BooleanField(required=False, widget=forms.HiddenInput())
