from django.apps import AppConfig

from apps.adminkit import roles
from apps.adminkit.roles import Role


class AdminkitConfig(AppConfig):
    name = "apps.adminkit"

    def ready(self) -> None:
        # The audit log, which belongs to Django's admin.
        roles.register("admin", {Role.MANAGER: ("view_logentry",)})
