"""The saves app: shops and notes that people keep, in lists of their own."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SavesConfig(AppConfig):
    name = "apps.saves"
    verbose_name = _("Saved")
