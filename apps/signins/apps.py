from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SigninsConfig(AppConfig):
    name = "apps.signins"
    verbose_name = _("Sign-ins")
