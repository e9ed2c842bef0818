from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role

#: What each role may do with messages that leave the site.
PERMISSIONS = {Role.MANAGER: ("view_message", "send_again"), Role.SUPPORT: ("view_message", "send_again")}


class OutboxConfig(AppConfig):
    name = "apps.outbox"
    verbose_name = _("Outbox")

    def ready(self) -> None:
        roles.register("outbox", PERMISSIONS)
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.outbox.monitoring_hooks").register()
