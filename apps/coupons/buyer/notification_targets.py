"""Orders and flash sales as the list of notifications shows them."""

from collections.abc import Collection

from apps.coupons.models import FlashSale, VoucherOrder
from apps.mailbox.display.targets import Target


class OrderTargets:
    """A person's own orders, by the titles of their coupons."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """One query."""
        mine = VoucherOrder.objects.filter(user=reader_id).select_related("voucher").in_bulk(ids)
        return {pk: Target(order.voucher.title, order.get_absolute_url()) for pk, order in mine.items()}


class SaleTargets:
    """Flash sales that are offered, by their ids."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """One query."""
        offered = FlashSale.objects.filter(voucher__is_offered=True, voucher__shop__is_listed=True)
        sales = offered.select_related("voucher").in_bulk(ids)
        return {pk: Target(sale.voucher.title, sale.voucher.get_absolute_url()) for pk, sale in sales.items()}
