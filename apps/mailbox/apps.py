"""Notifications of a person: rows in SQL, the newest and the unread count in Redis."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames

#: What each role may do with messages to people.
PERMISSIONS = {
    Role.MANAGER: (*codenames("view add change delete", "broadcast"), "send_broadcast"),
    Role.SUPPORT: ("view_broadcast",),
}


class MailboxConfig(AppConfig):
    name = "apps.mailbox"
    verbose_name = _("Mailbox")

    def ready(self) -> None:
        roles.register("mailbox", PERMISSIONS)
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.mailbox.broadcasts.access")
        import_module("apps.mailbox.reconcile").register()
