from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class WebConfig(AppConfig):
    name = "apps.web"
    verbose_name = _("Web")

    def ready(self) -> None:
        # What each app gives to others; by now all models are there, so provides.py imports what it likes.
        autodiscover_modules("provides")
