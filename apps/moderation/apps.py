"""The moderation app: registers what can be reported of a person."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames

#: What each role may do with reports.
PERMISSIONS = dict.fromkeys(
    (Role.MANAGER, Role.MODERATOR), (*codenames("view", "case", "decision"), "decide_report")
)


class ModerationConfig(AppConfig):
    name = "apps.moderation"
    verbose_name = _("Moderation")

    def ready(self) -> None:
        roles.register("moderation", PERMISSIONS)
        # Not at the top: they need models, and this file is read before there are any.
        import_module("apps.moderation.people")
        import_module("apps.moderation.notification_targets")
        import_module("apps.moderation.monitoring_hooks").register()
