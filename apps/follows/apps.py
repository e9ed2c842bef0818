"""The follows app: follows between people, lists and suggestions."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames

#: Who may look at who follows whom.
PERMISSIONS = dict.fromkeys((Role.MANAGER, Role.MODERATOR), codenames("view", "follow", "standing"))


class FollowsConfig(AppConfig):
    name = "apps.follows"
    verbose_name = _("Follows")

    def ready(self) -> None:
        roles.register("follows", PERMISSIONS)
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.follows.profile_counts")
        import_module("apps.follows.erasure")
        import_module("apps.follows.personal")
        import_module("apps.follows.reconcile").register()
