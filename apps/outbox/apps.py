from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OutboxConfig(AppConfig):
    name = "apps.outbox"
    verbose_name = _("Outbox")

    def ready(self) -> None:
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.outbox.monitoring_hooks").register()
