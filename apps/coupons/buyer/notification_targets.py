"""Orders, flash sales and webhooks as the list of notifications shows them."""

from collections.abc import Collection

from django.urls import reverse

from apps.coupons.models import FlashSale, Payment, Status, VoucherOrder, Webhook
from apps.mailbox.display import Target
from apps.shops.members import own_shops


class OrderTargets:
    """Orders that a person bought or was given, by the titles of their coupons."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """One query, and one about the payments of those that are refunded."""
        mine = VoucherOrder.objects.seen_by(reader_id).select_related("voucher").in_bulk(ids)
        refunded = [pk for pk, order in mine.items() if order.status == Status.REFUNDED]
        payments = Payment.objects.newest(refunded) if refunded else {}
        # As the order's page says it.
        returned = {pk for pk in refunded if not payments.get(pk, Payment()).is_going_back}
        return {
            pk: Target(
                order.voucher.title, order.get_absolute_url(), state="returned" if pk in returned else ""
            )
            for pk, order in mine.items()
        }


class SaleTargets:
    """Flash sales that are offered, by their ids."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """One query."""
        offered = FlashSale.objects.filter(voucher__is_offered=True, voucher__shop__is_listed=True)
        sales = offered.select_related("voucher").in_bulk(ids)
        return {pk: Target(sale.voucher.title, sale.voucher.get_absolute_url()) for pk, sale in sales.items()}


class WebhookTargets:
    """Webhooks of the shops that the reader owns, by their addresses."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """One query."""
        rows = Webhook.objects.filter(pk__in=ids, **own_shops.owner_lookups(reader_id, "shop"))
        return {
            row.pk: Target(row.url, reverse("coupons:webhook", args=[row.shop_id, row.pk])) for row in rows
        }
