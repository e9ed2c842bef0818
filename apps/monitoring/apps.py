from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role
from apps.monitoring import health_checks, memory_areas

#: Who may look at how the site does; Redis is for its operators.
PERMISSIONS = {Role.MANAGER: ("view_metrics",)}


class MonitoringConfig(AppConfig):
    name = "apps.monitoring"
    verbose_name = _("Monitoring")

    def ready(self) -> None:
        roles.register("monitoring", PERMISSIONS)
        health_checks.register()
        memory_areas.register()
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.monitoring.reconcile.registered").register()
