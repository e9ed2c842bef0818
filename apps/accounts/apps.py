from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames

#: What each role may do with people; rights are granted by superusers alone.
PERMISSIONS = {
    Role.MANAGER: (*codenames("view add change", "user"), *codenames("view change", "accesstoken")),
    Role.SUPPORT: codenames("view", "user", "accesstoken"),
    Role.MODERATOR: ("view_user",),
}


class AccountsConfig(AppConfig):
    name = "apps.accounts"
    verbose_name = _("Accounts")

    def ready(self) -> None:
        roles.register("accounts", PERMISSIONS)
        # Not at the top: they need models, and this file is read before there are any.
        import_module("apps.accounts.personal.person_cards")
        import_module("apps.accounts.personal.unread")
        import_module("apps.accounts.deletion.own_data")
        import_module("apps.accounts.profiles.directory")
        # It forgets contacts when one blocks the other.
        import_module("apps.accounts.relations.contacts")
        import_module("apps.accounts.profiles.findable_people").register()
        import_module("apps.accounts.sessions.reconcile").register()
        import_module("apps.accounts.deletion.inventory").register()
