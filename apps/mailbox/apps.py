"""Notifications of a person: rows in SQL, the newest and the unread count in Redis."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MailboxConfig(AppConfig):
    name = "apps.mailbox"
    verbose_name = _("Mailbox")
