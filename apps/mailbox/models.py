"""The tables of the mailbox: notifications, who caused them, people's preferences, and broadcasts."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.mailbox.notices import Delivery, Kind, choose_delivery, default_delivery
from apps.web import in_language
from apps.web.in_language import InLanguage

#: Read marks begin here: nothing has been read.
NEVER = datetime(1970, 1, 1, tzinfo=UTC)
MAX_TEXT_LENGTH, MAX_TARGET_KIND_LENGTH = 200, 16
MAX_ENDPOINT_LENGTH = 500
#: Names that a notification of many people shows.
MAX_NAMES = 3


class NotificationQuerySet(models.QuerySet["Notification"]):
    def unread(self) -> Self:
        return self.filter(read_to__lt=F("latest_at"))

    def about(self, recipient_id: int, kind: str, target_kind: str, target_id: int) -> Self:
        """The one notification of a person about one thing, or nothing."""
        return self.filter(recipient=recipient_id, kind=kind, target_kind=target_kind, target_id=target_id)


class Notification(models.Model):
    """A notification of one person about one thing; each further event about it renews this row.

    It is unread while something happened after `read_to`. The actors of a like are the people who like the
    note: `actor_count` says how many, `recent_actors` names the latest by id, such as "7,3,12".
    """

    recipient = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="+",
        verbose_name=_("recipient"),
        db_index=False,
    )
    kind = models.CharField(_("kind"), max_length=8, choices=Kind)
    target_kind = models.CharField(_("about"), max_length=MAX_TARGET_KIND_LENGTH, blank=True)
    target_id = models.BigIntegerField(_("number"), default=0)
    text = models.CharField(_("text"), max_length=MAX_TEXT_LENGTH, blank=True)
    actor_count = models.PositiveIntegerField(_("people"), default=0)
    recent_actors = models.CharField(max_length=20 * MAX_NAMES, blank=True)
    latest_at = models.DateTimeField(_("when"), default=timezone.now)
    read_to = models.DateTimeField(_("read to"), default=NEVER)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        verbose_name = _("notification")
        verbose_name_plural = _("notifications")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["recipient", "kind", "target_kind", "target_id"], name="mailbox_one_of_a_thing"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["recipient", "-latest_at", "-id"], name="mailbox_newest"),
            models.Index(
                fields=["recipient"], condition=Q(read_to__lt=F("latest_at")), name="mailbox_unread"
            ),
            models.Index(fields=["latest_at"], name="mailbox_by_age"),
            models.Index(fields=["target_kind", "target_id"], name="mailbox_of_target"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.target_kind} {self.target_id}"


class NotificationActor(models.Model):
    """One person's share in a notification: what they take back takes this row away."""

    notification = models.ForeignKey(Notification, models.CASCADE, related_name="actor_rows", db_index=False)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["notification", "actor"], name="mailbox_actor_once")
        ]

    def __str__(self) -> str:
        return f"{self.actor_id} in {self.notification_id}"


class PreferencesManager(models.Manager["Preferences"]):
    def of_people(self, user_ids: Collection[int]) -> dict[int, "Preferences"]:
        """{user id: preferences} of all these people, the defaults for those without a row; one query."""
        rows = self.in_bulk(user_ids)
        return {user_id: rows.get(user_id) or Preferences(pk=user_id) for user_id in user_ids}

    def choose(
        self, user_id: int, deliveries: Mapping[str, str], *, quiet_from: int = 0, quiet_until: int = 0
    ) -> None:
        """Keep a person's choices; of the deliveries only those that differ from the default."""
        chosen = {kind.value: choose_delivery(deliveries, kind) for kind in Kind}
        changed = {kind: way.value for kind, way in chosen.items() if way != default_delivery(Kind(kind))}
        hours = {"quiet_from": quiet_from, "quiet_until": quiet_until}
        self.update_or_create(pk=user_id, defaults={"deliveries": changed} | hours)


class Preferences(models.Model):
    """How a person receives notifications, where it isn't the default, and how far they read broadcasts."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        primary_key=True,
        related_name="mailbox_preferences",
        verbose_name=_("person"),
    )
    #: {kind: delivery}; a kind that is missing has its default.
    deliveries = models.JSONField(_("how"), default=dict, blank=True)
    #: Hours of the site's time zone between which no text message is sent; the same one twice: all are loud.
    quiet_from = models.PositiveSmallIntegerField(
        _("quiet from"), default=0, validators=[MaxValueValidator(23)]
    )
    quiet_until = models.PositiveSmallIntegerField(_("until"), default=0, validators=[MaxValueValidator(23)])
    #: The newest broadcast that the person has read.
    broadcast_read_to = models.BigIntegerField(default=0)

    objects = PreferencesManager()

    class Meta:
        verbose_name = _("preferences")
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return str(self.user_id)

    def delivery(self, kind: Kind) -> Delivery:
        """How the person receives a kind."""
        return choose_delivery(self.deliveries, kind)

    def end_of_quiet_hours(self, at: datetime) -> datetime | None:
        """When the quiet hours around `at` end; None outside of them."""
        local = timezone.localtime(at)
        if (local.hour - self.quiet_from) % 24 >= (self.quiet_until - self.quiet_from) % 24:
            return None
        end = local.replace(hour=self.quiet_until, minute=0, second=0, microsecond=0)
        return end if end > local else end + timedelta(days=1)


class PushSubscriptionQuerySet(models.QuerySet["PushSubscription"]):
    def live(self) -> Self:
        """Those whose log-in goes on: a log-out, wherever it is pressed, ends a subscription at once."""
        return self.filter(
            login__revoked_at=None, login__expires_at__gt=timezone.now(), login__user__is_active=True
        )


class PushSubscription(models.Model):
    """A browser that shows its person's notifications, by the push service that made this address.

    It belongs to the log-in in which the person said so, and is deleted with it.
    """

    login = models.ForeignKey("accounts.AccessToken", models.CASCADE, related_name="+")
    endpoint = models.CharField(max_length=MAX_ENDPOINT_LENGTH, unique=True)
    #: The browser's public key and the secret that it shares with the site, as it wrote them.
    p256dh = models.CharField(max_length=100)
    secret = models.CharField(max_length=40)
    created_at = models.DateTimeField(default=timezone.now)

    objects = PushSubscriptionQuerySet.as_manager()

    def __str__(self) -> str:
        return str(self.pk)


class Audience(models.TextChoices):
    EVERYBODY = "everybody", _("Everybody")
    CITY = "city", _("People in a city")
    LIST = "list", _("A list of people")


class BroadcastQuerySet(models.QuerySet["Broadcast"]):
    def merged_at_read(self) -> Self:
        """Those that no person has a row of."""
        return self.filter(state=Broadcast.State.SENT).exclude(audience=Audience.LIST)


class Broadcast(models.Model):
    """A message of the site's staff to many people.

    One to everybody or to a city is this row alone, which readers merge into their list. One to a list
    becomes a notification of each, written in batches: `written` of `people` are done.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        SENT = "sent", _("sent")
        STOPPED = "stopped", _("stopped")

    title_en = models.CharField(_("English title"), max_length=80, blank=True)
    title_zh = models.CharField(_("Chinese title"), max_length=80, blank=True)
    text_en = models.TextField(_("English text"), max_length=1_000, blank=True)
    text_zh = models.TextField(_("Chinese text"), max_length=1_000, blank=True)
    path = models.CharField(
        _("page"),
        max_length=200,
        blank=True,
        help_text=_("where the message leads, such as /sales/; empty: to its own page"),
    )
    audience = models.CharField(_("goes to"), max_length=9, choices=Audience, default=Audience.EVERYBODY)
    city = models.CharField(_("city"), max_length=50, blank=True)
    #: Ids of the people of a list, in the order in which they are told.
    people = models.JSONField(_("people"), default=list, blank=True, editable=False)
    people_count = models.PositiveIntegerField(_("people"), default=0, editable=False)
    written = models.PositiveIntegerField(_("notifications written"), default=0, editable=False)
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.DRAFT)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    sent_at = models.DateTimeField(pgettext_lazy("moment", "sent"), null=True, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("written by"),
    )

    title = InLanguage("title")
    text = InLanguage("text")
    objects = BroadcastQuerySet.as_manager()

    class Meta:
        verbose_name = _("message to people")
        verbose_name_plural = _("messages to people")
        permissions: ClassVar = [("send_broadcast", _("Can send and stop messages to people"))]
        indexes: ClassVar = [models.Index(fields=["state", "-sent_at"], name="mailbox_broadcasts")]

    def __str__(self) -> str:
        return self.title

    def clean(self) -> None:
        in_language.require_either(self, ["title", "text"])
