"""The form of a webhook."""

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.accounts.forms import ShowsRefusals
from apps.coupons.webhooks import endpoints
from apps.web import public_addresses
from apps.web.form_state import KeepsOthersChanges


class WebhookForm(KeepsOthersChanges, ShowsRefusals, forms.Form):
    """Address and events of a webhook."""

    url = forms.CharField(
        label=_("Address"),
        max_length=public_addresses.MAX_URL_LENGTH,
        widget=forms.TextInput({"inputmode": "url", "autocomplete": "off", "placeholder": "https://"}),
    )
    events = forms.MultipleChoiceField(
        label=_("When?"),
        choices=[(event.value, event.label) for event in endpoints.EVENTS],
        widget=forms.CheckboxSelectMultiple(),
    )
