"""The check-ins app: days in a row, their points, and the leaderboard."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames

_LOOKED_AT = codenames("view", "standing", "signinmonth", "pointentry")
#: What each role may do with check-ins and points.
PERMISSIONS = {Role.MANAGER: (*_LOOKED_AT, "add_pointentry"), Role.SUPPORT: _LOOKED_AT}


class SigninsConfig(AppConfig):
    name = "apps.signins"
    verbose_name = _("Check-ins")

    def ready(self) -> None:
        roles.register("signins", PERMISSIONS)
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.signins.erasure")
        import_module("apps.signins.reconcile").register()
