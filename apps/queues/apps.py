from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class QueuesConfig(AppConfig):
    name = "apps.queues"
    verbose_name = _("Tasks")

    def ready(self) -> None:
        # Imported here: these modules import models, and Django reads this file before models are loaded.
        import_module("apps.queues.broker_transport").register()
        import_module("apps.queues.failure_signals").register()
        import_module("apps.queues.monitoring_hooks").register()
