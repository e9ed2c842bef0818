"""The models of webhooks: addresses of programs that hear of a shop's orders, and what they were sent."""

from typing import ClassVar, Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.outbox.models import Message
from apps.shops.models import Shop


class WebhookEvent(models.TextChoices):
    """What a program can hear of; TEST is sent by hand."""

    PAID = "order.paid", _("an order is paid")
    USED = "order.used", _("a coupon is used in the shop")
    REFUNDED = "order.refunded", _("an order is refunded")
    EXPIRED = "order.expired", _("a coupon expired unused, and is refunded")
    TEST = "test", _("a test")


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def switched_on(self) -> Self:
        return self.filter(switched_off_at=None)


class Webhook(models.Model):
    """An address that an owner registered for a shop, with the secret that signs what is sent there."""

    shop = models.ForeignKey(Shop, models.CASCADE, related_name="webhooks", verbose_name=_("shop"))
    url = models.CharField(_("address"), max_length=500)
    secret = models.CharField(max_length=80, editable=False)
    #: Values of WebhookEvent with spaces between.
    events = models.CharField(_("events"), max_length=200)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    #: Since when no delivery has succeeded; None after a success.
    failing_since = models.DateTimeField(null=True, blank=True, editable=False)
    failures = models.PositiveIntegerField(default=0, editable=False)
    #: Until then nothing is sent: it has just failed, or a delivery is on its way.
    rests_until = models.DateTimeField(null=True, blank=True, editable=False)
    switched_off_at = models.DateTimeField(_("switched off"), null=True, blank=True)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")

    def __str__(self) -> str:
        return self.url

    @property
    def event_list(self) -> list[str]:
        """The events that it hears of."""
        return self.events.split()

    @property
    def is_on(self) -> bool:
        return self.switched_off_at is None


class WebhookDelivery(models.Model):
    """An event for a webhook: a message of the outbox, and the last answer to it."""

    webhook = models.ForeignKey(
        Webhook, models.CASCADE, related_name="deliveries", verbose_name=_("webhook"), db_index=False
    )
    message = models.OneToOneField(
        Message, models.CASCADE, related_name="webhook_delivery", verbose_name=_("message")
    )
    event = models.CharField(_("event"), max_length=20, choices=WebhookEvent)
    order_id = models.BigIntegerField(_("order"), null=True, blank=True)
    #: The HTTP status of the last answer; None before one.
    status = models.PositiveSmallIntegerField(_("status"), null=True, blank=True)
    milliseconds = models.PositiveIntegerField(_("milliseconds"), null=True, blank=True)
    tried_at = models.DateTimeField(_("last try"), null=True, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("delivery of a webhook")
        verbose_name_plural = _("deliveries of webhooks")
        indexes: ClassVar = [models.Index(fields=["webhook", "-id"], name="webhook_deliveries")]

    def __str__(self) -> str:
        return f"{self.event} {self.order_id or ''}"
