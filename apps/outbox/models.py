"""The table of outgoing messages."""

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.queues.delayed import Priority

PRIORITIES = [
    (Priority.HIGH.value, _("high")),
    (Priority.NORMAL.value, _("normal")),
    (Priority.LOW.value, _("low")),
]
KEY_LENGTH, TEXT_LENGTH, SUBJECT_LENGTH, TO_LENGTH = 200, 2_000, 200, 254


class Channel(models.TextChoices):
    """The kind of message; `to` is a phone in E.164, an e-mail address, a webhook's or browser's number."""

    SMS = "sms", _("text message")
    EMAIL = "email", _("e-mail")
    WEBHOOK = "hook", _("webhook")
    PUSH = "push", _("push to a browser")


class State(models.TextChoices):
    WAITING = "waiting", _("waiting")
    SENT = "sent", _("sent")
    FAILED = "failed", _("failed")


class MessageQuerySet(models.QuerySet["Message"]):
    def waiting(self) -> Self:
        return self.filter(state=State.WAITING)

    def failed(self) -> Self:
        return self.filter(state=State.FAILED)

    def claimable(self, at: datetime) -> Self:
        """Messages that are due and that no worker is sending."""
        return self.waiting().filter(
            Q(claimed_until=None) | Q(claimed_until__lt=at),
            next_try_at__lte=at,
        )


class Message(models.Model):
    """One message to one address, written in the transaction that causes it; `key` is unique."""

    key = models.CharField(_("key"), max_length=KEY_LENGTH, unique=True)
    channel = models.CharField(_("channel"), max_length=5, choices=Channel)
    to = models.CharField(_("to"), max_length=TO_LENGTH)
    subject = models.CharField(_("subject"), max_length=SUBJECT_LENGTH, blank=True)
    text = models.TextField(_("text"), max_length=TEXT_LENGTH)
    priority = models.PositiveSmallIntegerField(
        _("priority"),
        choices=PRIORITIES,
        default=Priority.NORMAL.value,
    )
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.WAITING)
    #: After it the message has no use any more: it fails instead of coming too late.
    until = models.DateTimeField(_("worth sending until"), null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    next_try_at = models.DateTimeField(_("next try"), default=timezone.now)
    #: Whoever sends it has it until then; past it, they are taken for dead.
    claimed_until = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(_("last error"), max_length=500, blank=True)
    created_at = models.DateTimeField(_("written"), default=timezone.now)
    sent_at = models.DateTimeField(pgettext_lazy("moment", "sent"), null=True, blank=True)

    objects = MessageQuerySet.as_manager()

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("outbox")
        permissions: ClassVar = [("send_again", _("Can send failed messages again"))]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(state__in=State.values), name="outbox_state_is_known"),
            models.CheckConstraint(
                condition=Q(state=State.SENT, sent_at__isnull=False) | ~Q(state=State.SENT),
                name="outbox_sent_has_its_time",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["priority", "next_try_at"], condition=Q(state="waiting"), name="outbox_to_be_sent"
            ),
            models.Index(fields=["state", "-id"], name="outbox_by_state"),
        ]

    def __str__(self) -> str:
        return self.key
