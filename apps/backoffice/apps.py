"""The back office app, at the top of the import order."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BackofficeConfig(AppConfig):
    name = "apps.backoffice"
    verbose_name = _("Back office")
