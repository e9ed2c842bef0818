"""The form of a list."""

from typing import ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.saves.models import SaveList
from apps.web.form_state import KeepsOthersChanges


class ListForm(KeepsOthersChanges, forms.ModelForm[SaveList]):
    """Name, description, and who may see it."""

    class Meta:
        model = SaveList
        fields = ("name", "description", "is_public")
        labels: ClassVar = {
            "name": _("Name"),
            "description": _("What is it about?"),
            "is_public": _("Everybody may see this list"),
        }
        help_texts: ClassVar = {
            "is_public": _("A public list stands on your page, and you can send its link to anybody.")
        }
        widgets: ClassVar = {
            "name": forms.TextInput({"placeholder": _("Rainy Sundays"), "autofocus": True}),
            "description": forms.Textarea({"rows": 3}),
        }

    @property
    def carries_state(self) -> bool:
        """Whether it is about a list that exists: its values are given as `initial`."""
        return bool(self.initial)
