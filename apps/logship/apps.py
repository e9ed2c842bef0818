from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role

#: Who may look at where visitors come from.
PERMISSIONS = {Role.MANAGER: ("view_cityvisits",)}


class LogshipConfig(AppConfig):
    name = "apps.logship"
    verbose_name = _("Access logs")

    def ready(self) -> None:
        roles.register("logship", PERMISSIONS)
