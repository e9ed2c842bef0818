"""The form of a person's preferences."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.mailbox.kinds import Delivery, Kind
from apps.mailbox.preferences import Choices

HOURS = [(hour, f"{hour:02}:00") for hour in range(24)]


class PreferencesForm(forms.Form):
    """A choice of each kind, and the quiet hours."""

    quiet_from = forms.TypedChoiceField(label=_("Quiet from"), choices=HOURS, coerce=int)
    quiet_until = forms.TypedChoiceField(
        label=_("Until"),
        choices=HOURS,
        coerce=int,
        help_text=_("Text messages wait until then. The same hour twice: there are no quiet hours."),
    )

    def __init__(self, *args: Any, choices: Choices, **options: Any) -> None:
        options["initial"] = {"quiet_from": choices.quiet_from, "quiet_until": choices.quiet_until}
        super().__init__(*args, **options)
        for kind in Kind:
            self.fields[kind.value] = forms.ChoiceField(
                label=kind.label, choices=Delivery.choices, initial=choices.delivery(kind)
            )

    def kind_fields(self) -> list[forms.BoundField]:
        """The fields of the kinds, in their order."""
        return [self[kind.value] for kind in Kind]

    def to_choices(self) -> Choices:
        """What a valid form says."""
        sent = self.cleaned_data
        deliveries = {kind.value: sent[kind.value] for kind in Kind}
        return Choices(deliveries, sent["quiet_from"], sent["quiet_until"])
