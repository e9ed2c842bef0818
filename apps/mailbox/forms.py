"""The form of a person's preferences."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.mailbox.models import Preferences
from apps.mailbox.notices import Delivery, Kind
from apps.web.form_state import KeepsOthersChanges

#: What the form proposes to people without quiet hours.
USUAL_HOURS = (22, 8)
HOURS = [(hour, f"{hour:02}:00") for hour in range(24)]
#: The kinds as the page lists them, below a heading each.
KIND_GROUPS = (
    (_("People and notes"), (Kind.LIKE, Kind.COMMENT, Kind.REPLY, Kind.MENTION, Kind.FOLLOW)),
    (_("Orders and sales"), (Kind.ORDER, Kind.REFUND, Kind.SALE)),
    (_("Chats and the site"), (Kind.CHAT, Kind.REPORT, Kind.SITE)),
)


class PreferencesForm(KeepsOthersChanges, forms.Form):
    """A choice of each kind, and the quiet hours."""

    is_quiet = forms.BooleanField(label=_("No text messages at night"), required=False)
    quiet_from = forms.TypedChoiceField(label=_("Quiet from"), choices=HOURS, coerce=int)
    quiet_until = forms.TypedChoiceField(
        label=_("Until"), choices=HOURS, coerce=int, help_text=_("Text messages wait until then.")
    )

    def __init__(self, *args: Any, preferences: Preferences, **options: Any) -> None:
        chosen = (preferences.quiet_from, preferences.quiet_until)
        is_quiet = chosen[0] != chosen[1]
        hours = chosen if is_quiet else USUAL_HOURS
        options["initial"] = {"is_quiet": is_quiet, "quiet_from": hours[0], "quiet_until": hours[1]}
        super().__init__(*args, **options)
        for kind in Kind:
            self.fields[kind.value] = forms.ChoiceField(
                label=kind.label,
                choices=Delivery.choices,
                initial=preferences.delivery(kind),
                widget=forms.RadioSelect,
            )

    def kind_groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields of the kinds: (heading, fields) pairs."""
        return [(str(title), [self[kind.value] for kind in kinds]) for title, kinds in KIND_GROUPS]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("is_quiet") and cleaned.get("quiet_from") == cleaned.get("quiet_until") is not None:
            self.add_error("quiet_until", _("Choose two different hours."))
        return cleaned

    def save(self, user_id: int) -> None:
        """Keep what a valid form says."""
        sent = self.cleaned_data
        hours = {name: sent[name] if sent["is_quiet"] else 0 for name in ("quiet_from", "quiet_until")}
        Preferences.objects.choose(user_id, {kind.value: sent[kind.value] for kind in Kind}, **hours)
