"""The saves app: shops and notes that people keep, in lists of their own."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SavesConfig(AppConfig):
    name = "apps.saves"
    verbose_name = _("Saved")

    def ready(self) -> None:
        # Not at the top: they need models, and this file is read before there are any.
        import_module("apps.saves.erasure")
        import_module("apps.saves.personal")
        import_module("apps.saves.reconcile").register()
