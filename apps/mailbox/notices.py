"""What the causes of notifications hand to the mailbox: notices, each of one kind."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.outbox.outbox import OutgoingMessage


class Kind(models.TextChoices):
    """What happened; what people read is in display.PATTERNS."""

    LIKE = "like", _("Likes")
    COMMENT = "comment", _("Comments")
    REPLY = "reply", _("Replies")
    MENTION = "mention", _("Mentions")
    FOLLOW = "follow", _("New followers")
    ORDER = "order", _("Orders")
    SALE = "sale", _("Sales about to start")
    REFUND = "refund", _("Refunds")
    CHAT = "chat", _("Chats")
    REPORT = "report", _("Reports and decisions")
    SITE = "site", _("News from the site")


class Delivery(models.TextChoices):
    """Where a person receives a kind of notification; a text message comes beside the one on the site."""

    OFF = "off", _("Off")
    SITE = "site", _("On the site")
    SMS = "sms", _("On the site and by text message")


#: Text messages about one's own orders, and those one asked for, come unless a person says otherwise.
SMS_BY_DEFAULT = frozenset({Kind.ORDER, Kind.SALE, Kind.REFUND})
#: What a subscribed browser shows at once, unless the kind is off: it can't wait for the next visit.
PUSH_KINDS = frozenset({Kind.ORDER, Kind.SALE, Kind.REFUND, Kind.CHAT})


def default_delivery(kind: Kind) -> Delivery:
    """How a person who has chosen nothing receives a kind."""
    return Delivery.SMS if kind in SMS_BY_DEFAULT else Delivery.SITE


def choose_delivery(deliveries: Mapping[str, str] | None, kind: Kind) -> Delivery:
    """The chosen way of a kind, or its default; `deliveries` is {kind: way} of a person's preferences."""
    chosen = (deliveries or {}).get(kind)
    return Delivery(chosen) if chosen in Delivery.values else default_delivery(kind)


@dataclass(frozen=True)
class Notice:
    """A notification to write: recipient, kind, target, and the actor, or None where the site acts.

    `sms` is the text message for people who want one of this kind; without it they get a short one, or none
    if `is_site_only`.
    """

    recipient_id: int
    kind: Kind
    _: KW_ONLY
    actor_id: int | None = None
    target_kind: str = ""
    target_id: int = 0
    text: str = ""
    sms: OutgoingMessage | None = None
    is_site_only: bool = False

    @property
    def thing(self) -> tuple[str, str, int]:
        """What it is about, of which its recipient has one row: kind, target's kind and id."""
        return self.kind.value, self.target_kind, self.target_id
