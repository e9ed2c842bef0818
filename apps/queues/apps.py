from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role

#: What each role may do with failed tasks.
PERMISSIONS = {Role.MANAGER: ("view_deadtask", "run_again")}


class QueuesConfig(AppConfig):
    name = "apps.queues"
    verbose_name = _("Tasks")

    def ready(self) -> None:
        roles.register("queues", PERMISSIONS)
        # Imported here: these modules import models, and Django reads this file before models are loaded.
        import_module("apps.queues.broker_transport").register()
        import_module("apps.queues.failure_signals").register()
        import_module("apps.queues.monitoring_hooks").register()
