from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DemoConfig(AppConfig):
    name = "apps.demo"
    verbose_name = _("Demo city")

    def ready(self) -> None:
        # Imported here: Django reads this file before models are loaded.
        import_module("apps.demo.process_health").register()
