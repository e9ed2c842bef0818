"""Chats between people: messages in SQL, delivered live through Redis."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ChatConfig(AppConfig):
    name = "apps.chat"
    verbose_name = _("Chat")
