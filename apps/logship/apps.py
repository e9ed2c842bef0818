from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LogshipConfig(AppConfig):
    name = "apps.logship"
    verbose_name = _("Access logs")
