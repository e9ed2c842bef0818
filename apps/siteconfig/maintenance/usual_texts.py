"""The texts with which the form of the maintenance switch begins, and which the command uses."""

from typing import Annotated

from annotated_types import MaxLen
from django.utils.translation import gettext_lazy as _

from apps.siteconfig.components.definitions import About, Component, Settings

MAX_TEXT_LENGTH = 300


class MaintenanceSettings(Settings):
    """A sentence for people in each language."""

    text_en: Annotated[str, MaxLen(MAX_TEXT_LENGTH), About(_("Usual text in English"))]
    text_zh: Annotated[str, MaxLen(MAX_TEXT_LENGTH), About(_("Usual text in Chinese"))]


USUAL_TEXTS = Component(
    "maintenance",
    MaintenanceSettings,
    title=_("Maintenance"),
    defaults=lambda: {"text_en": "", "text_zh": ""},
)
