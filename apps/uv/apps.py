from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class UvConfig(AppConfig):
    name = "apps.uv"
    verbose_name = _("Visitors")
