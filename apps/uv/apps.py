from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role

#: Who may look at the numbers of visitors.
PERMISSIONS = {Role.MANAGER: ("view_dailyvisits",)}


class UvConfig(AppConfig):
    name = "apps.uv"
    verbose_name = _("Visitors")

    def ready(self) -> None:
        roles.register("uv", PERMISSIONS)
