"""The siteconfig app: what operators change while the site runs."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role

#: Who may close the site for maintenance; its settings are for its operators.
PERMISSIONS = {Role.MANAGER: ("switch_maintenance",)}


class SiteconfigConfig(AppConfig):
    name = "apps.siteconfig"
    verbose_name = _("Running the site")

    def ready(self) -> None:
        roles.register("siteconfig", PERMISSIONS)
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.siteconfig.connections").register()
