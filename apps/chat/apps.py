"""Chats between people: messages in SQL, delivered live through Redis."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames

#: What each role may do with chats; opening one needs a reason, which is kept.
PERMISSIONS = dict.fromkeys(
    (Role.MANAGER, Role.MODERATOR),
    (*codenames("view", "chat", "chatopening"), "open_chat"),
)


class ChatConfig(AppConfig):
    name = "apps.chat"
    verbose_name = _("Chat")

    def ready(self) -> None:
        roles.register("chat", PERMISSIONS)
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.chat.live_topics")
        import_module("apps.chat.moderation.reportable")
        import_module("apps.chat.moderation.erasure")
        import_module("apps.chat.mentions.notification_targets")
        import_module("apps.chat.unread")
        import_module("apps.chat.reconcile").register()
