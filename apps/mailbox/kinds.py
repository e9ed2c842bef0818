"""The kinds of notifications, and the ways in which a person may receive each."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Kind(models.TextChoices):
    """What happened; what people read stands in display.texts."""

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


def default_delivery(kind: Kind) -> Delivery:
    """How a person who has chosen nothing receives a kind."""
    return Delivery.SMS if kind in SMS_BY_DEFAULT else Delivery.SITE


#: What a subscribed browser shows at once, unless the kind is off: it can't wait for the next visit.
PUSH_KINDS = frozenset({Kind.ORDER, Kind.SALE, Kind.REFUND, Kind.CHAT})
