"""The models of chats: chat, member, picture and message."""

import uuid
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts.mentions import Link
from apps.accounts.relations import blocks
from apps.accounts.text_fields import LineField, LinesField

#: Most members of a group, and most letters of a message and of a group's name.
MAX_MEMBERS, MAX_MESSAGE_LENGTH, MAX_NAME_LENGTH = 500, 4_000, 60
#: How long people may delete a message of their own.
DELETE_PERIOD = timedelta(minutes=10)


def new_name() -> str:
    """A random name for a picture's file."""
    return uuid.uuid4().hex


def build_pair(user_id: int, other_id: int) -> str:
    """The `pair` of the chat between two people, whoever of them opens it."""
    return f"{min(user_id, other_id)}:{max(user_id, other_id)}"


class Chat(models.Model):
    """A chat of two people, which `pair` names, or a group.

    Every message, and every change of the members, has the next number: `last_number` is that of the last.
    """

    name = LineField(_("name"), max_length=MAX_NAME_LENGTH, blank=True)
    pair = models.CharField(max_length=40, unique=True, null=True, blank=True, editable=False)
    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("created by"),
    )
    last_number = models.PositiveBigIntegerField(_("last number"), default=0, editable=False)
    last_at = models.DateTimeField(_("last message"), default=timezone.now)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("chat")
        verbose_name_plural = _("chats")
        indexes: ClassVar = [models.Index(fields=["-last_at"], name="chat_latest")]

    def __str__(self) -> str:
        return self.name or f"chat {self.pk}"

    @property
    def is_group(self) -> bool:
        return self.pair is None


class Member(models.Model):
    """A person in a chat: may see the messages after `joined_number`, has seen those up to `seen_number`."""

    chat = models.ForeignKey(
        Chat, models.CASCADE, related_name="members", verbose_name=_("chat"), db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person")
    )
    #: The other person of a chat of two, also after they left.
    partner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    joined_number = models.PositiveBigIntegerField(default=0, editable=False)
    seen_number = models.PositiveBigIntegerField(_("seen up to"), default=0, editable=False)
    is_muted = models.BooleanField(_("muted"), default=False)
    joined_at = models.DateTimeField(pgettext_lazy("moment", "joined"), default=timezone.now)

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        constraints: ClassVar = [models.UniqueConstraint(fields=["chat", "user"], name="chat_member_once")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.chat_id}"


class Picture(models.Model):
    """A re-encoded picture in two sizes; it belongs to its owner until a message has it."""

    name = models.CharField(max_length=32, unique=True, default=new_name, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="+",
        verbose_name=_("owner"),
    )
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("picture")
        verbose_name_plural = _("pictures")
        indexes: ClassVar = [models.Index(fields=["created_at"], name="chat_picture_age")]

    def __str__(self) -> str:
        return self.name


class MessageQuerySet(models.QuerySet["Message"]):
    def with_people(self) -> Self:
        """Load what a message shows: its author, its subject and its picture."""
        return self.select_related("author", "subject", "picture")

    def read_by(self, reader_id: int) -> Self:
        """Load what messages show to a reader; `is_apart`: in a group, of a person across a block."""
        in_group = Exists(Chat.objects.filter(pk=OuterRef("chat"), pair=None))
        apart = Q(in_group, blocks.is_apart(reader_id, OuterRef("author")), kind=Message.Kind.TEXT)
        return self.with_people().annotate(is_apart=ExpressionWrapper(apart, BooleanField()))

    def no_news_of(self, author_ids: Collection[int]) -> Self:
        """What these people wrote, the reader among them, and what is gone since."""
        return self.filter(
            Q(author__in=author_ids) | Q(deleted_at__isnull=False) | Q(hidden_at__isnull=False)
        )

    def news_of_outer_member(self) -> Self:
        """Unseen messages of others for the member of the outer query: not of authors behind a block, not
        what was deleted or hidden since.
        """
        seen = Greatest(OuterRef("seen_number"), OuterRef("joined_number"))
        there = self.filter(chat=OuterRef("chat"), number__gt=seen, deleted_at=None, hidden_at=None)
        others = there.exclude(author=OuterRef("user"))
        return others.exclude(blocks.is_apart(OuterRef(OuterRef("user")), OuterRef("author")))


class Message(models.Model):
    """A message, or a line that says who joined, who left or how the group is called now.

    The numbers of a chat are dense. `client_id` is the sender's own key: sent twice, a message is one.
    A deleted or hidden message keeps its row and its number, and its contents are no longer shown.
    """

    class Kind(models.TextChoices):
        TEXT = "text", _("message")
        JOINED = "joined", pgettext_lazy("member", "joined")
        LEFT = "left", pgettext_lazy("member", "left")
        RENAMED = "renamed", _("renamed")

    class Card(models.TextChoices):
        NOTE = "note", _("note")
        SHOP = "shop", _("shop")
        SALE = "sale", _("flash sale")
        VOUCHER = "voucher", _("coupon")

    chat = models.ForeignKey(
        Chat, models.CASCADE, related_name="messages", verbose_name=_("chat"), db_index=False
    )
    number = models.PositiveBigIntegerField(_("number"))
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("author"),
    )
    kind = models.CharField(_("kind"), max_length=7, choices=Kind, default=Kind.TEXT)
    text = LinesField(_("text"), max_length=MAX_MESSAGE_LENGTH, blank=True)
    client_id = models.CharField(max_length=64, blank=True)
    #: Whom the author invited.
    subject = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    card_kind = models.CharField(_("card"), max_length=7, choices=Card, blank=True)
    card_id = models.PositiveBigIntegerField(null=True, blank=True)
    picture = models.OneToOneField(
        Picture, models.SET_NULL, null=True, blank=True, related_name="message", verbose_name=_("picture")
    )
    created_at = models.DateTimeField(pgettext_lazy("moment", "sent"), default=timezone.now)
    deleted_at = models.DateTimeField(pgettext_lazy("moment", "deleted"), null=True, blank=True)
    #: When staff hid it.
    hidden_at = models.DateTimeField(_("hidden"), null=True, blank=True)

    #: The people whom the text mentions (chat.mentions.attach); not a column.
    links: Sequence[Link] = ()
    #: Whether it is of a group, and a block is between author and reader (`read_by`); not a column.
    is_apart: bool = False

    objects = MessageQuerySet.as_manager()

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["chat", "number"], name="chat_message_number"),
            models.UniqueConstraint(
                fields=["chat", "author", "client_id"],
                condition=~models.Q(client_id=""),
                name="chat_message_once",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["chat", "author", "number"], name="chat_message_author")]

    def __str__(self) -> str:
        return f"{self.chat_id}#{self.number}"

    @property
    def is_gone(self) -> bool:
        """Whether its author deleted it, or staff hid it."""
        return self.deleted_at is not None or self.hidden_at is not None

    @property
    def is_withheld(self) -> bool:
        """Whether its reader is given its number and nothing of its contents."""
        return self.is_gone or self.is_apart


class ChatOpening(models.Model):
    """A manager opened a chat of other people, and said why."""

    chat = models.ForeignKey(Chat, models.CASCADE, related_name="+", verbose_name=_("chat"), db_index=False)
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("opened by")
    )
    reason = LineField(_("reason"), max_length=200)
    opened_at = models.DateTimeField(_("opened"), default=timezone.now)

    class Meta:
        verbose_name = _("opened chat")
        verbose_name_plural = _("opened chats")
        permissions: ClassVar = [("open_chat", _("Can open chats of other people"))]
        indexes: ClassVar = [models.Index(fields=["chat", "opened_by", "-opened_at"], name="chat_openings")]

    def __str__(self) -> str:
        return f"{self.chat}: {self.reason}"
