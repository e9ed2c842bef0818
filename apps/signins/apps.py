"""The check-ins app: days in a row, their points, and the leaderboard."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SigninsConfig(AppConfig):
    name = "apps.signins"
    verbose_name = _("Check-ins")

    def ready(self) -> None:
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.signins.panels")
        import_module("apps.signins.reconcile").register()
