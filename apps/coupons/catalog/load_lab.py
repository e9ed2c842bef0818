"""Flash sales for load tests, in a shop that no list, map or search shows, and their removal."""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import partial

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.catalog import sales
from apps.coupons.claims import loading
from apps.coupons.models import (
    ACTIVE_STATUSES,
    Charge,
    DeadLetter,
    FlashSale,
    Payment,
    SandboxCharge,
    StockLedger,
    Voucher,
    VoucherOrder,
)
from apps.coupons.terms import Terms
from apps.redis_kit import client
from apps.shops import changes
from apps.shops.models import Shop, ShopType
from apps.web import batches

logger = logging.getLogger(__name__)
SHOP_NAME = "Load lab"
#: Rows of one query, and entries that Redis is asked for at once.
BATCH_SIZE = 500


def create_sale(
    units: int, *, begins_in: timedelta, lasts: timedelta, shop_id: int | None = None
) -> FlashSale:
    """Create a sale in the Load lab or another shop. Raises Shop.DoesNotExist, or as sales.create does."""
    where = _get_or_create_shop() if shop_id is None else Shop.objects.get(pk=shop_id)
    begins = timezone.now() + begins_in
    voucher = Voucher(shop=where, title_en=f"Load test, {units} units", price=4_900, value=8_800)
    with transaction.atomic():
        sale = sales.create(voucher, Terms(units, begins, begins + lasts))
        FlashSale.objects.filter(pk=sale.pk).update(is_made_for_load=True)
    return sale


def _get_or_create_shop() -> Shop:
    """The unlisted shop: its vouchers are shown nowhere, and can be claimed by their ids."""
    if shop := Shop.objects.filter(name_en=SHOP_NAME, is_listed=False).first():
        return shop
    kind = ShopType.objects.first() or ShopType.objects.create(
        slug="food", name_en="Food", name_zh="美食", icon="food"
    )
    shop = Shop(
        type=kind, name_en=SHOP_NAME, city_en="Nowhere", area_en="Lab", address_en="1 Bench Street",
        hours_en="00:00-24:00",
        lng=0, lat=0, price=4_900, is_listed=False,
    )  # fmt: skip
    changes.save(shop)
    return shop


def withdraw_sales() -> int:
    """Close the gates of all sales that load tests made; returns how many were still offered."""
    offered = list(Voucher.objects.filter(sale__is_made_for_load=True, is_offered=True))
    for voucher in offered:
        sales.withdraw(voucher)
    return len(offered)


def count_queued() -> int:
    """How many orders of people made for load have no row yet: the consumers still have them to do."""
    count = 0
    for partition in range(keys.PARTITIONS):
        waiting = client.get().hscan_iter(keys.QUEUED(partition=partition), count=BATCH_SIZE)
        for some in batches.chunked(waiting, BATCH_SIZE):
            buyers = Counter(int(about.split(":")[1]) for _order_id, about in some)
            made = User.objects.filter(pk__in=buyers, is_made_for_load=True).values_list("pk", flat=True)
            count += sum(buyers[user_id] for user_id in made)
    return count


def forget_orders(user_ids: Collection[int]) -> int:
    """Delete all orders of the given people with payments and ledger; their units are for sale again.

    Their sales are loaded into Redis anew after the commit. Returns how many orders it were.
    """
    with transaction.atomic():
        mine = VoucherOrder.objects.filter(user__in=user_ids).order_by("pk")
        # Locked: a payment or a cancellation under way is finished first, and finds no order afterwards.
        orders = list(mine.select_for_update(of=("self",)).only("pk", "voucher_id", "status"))
        _delete_orders([order.pk for order in orders])
        units = Counter(order.voucher_id for order in orders if order.status in ACTIVE_STATUSES)
        for voucher_id in sorted({order.voucher_id for order in orders}):
            sale = FlashSale.objects.filter(pk=voucher_id)
            if sale.update(stock_left=F("stock_left") + units[voucher_id], revision=F("revision") + 1):
                transaction.on_commit(partial(loading.load_if_possible, voucher_id))
    return len(orders)


def forget_sales() -> tuple[int, int]:
    """Delete the sales that load tests made, also from Redis; returns how many went and how many stay.

    A sale with orders stays, withdrawn: in a shop that people see, others have bought as well.
    """
    gone = kept = 0
    for sale in FlashSale.objects.filter(is_made_for_load=True).order_by("pk").iterator(BATCH_SIZE):
        with transaction.atomic():
            locked = FlashSale.objects.select_for_update().filter(pk=sale.pk).first()
            if VoucherOrder.objects.filter(voucher=sale.pk).exists():
                kept += 1
            elif locked:
                loading.close_gate(sale.pk, state="absent")
                locked.delete()
                Voucher.objects.filter(pk=sale.pk).delete()
                transaction.on_commit(partial(_forget_in_redis, sale.pk))
                gone += 1
    return gone, kept


def _delete_orders(order_ids: Sequence[int]) -> None:
    for some in batches.chunked(order_ids, BATCH_SIZE):
        payments = Payment.objects.filter(order_id__in=some)
        references = list(payments.values_list("reference", flat=True))
        charge_ids = set(payments.exclude(charge=None).values_list("charge", flat=True))
        payments.delete()
        # Of a charge of several orders the last one takes it along.
        charges = Charge.objects.filter(pk__in=charge_ids, payments=None)
        references += charges.values_list("reference", flat=True)
        charges.delete()
        SandboxCharge.objects.filter(reference__in=references).delete()
        StockLedger.objects.filter(order__in=some).delete()
        DeadLetter.objects.filter(order_id__in=some).delete()
        VoucherOrder.objects.filter(pk__in=some).delete()


def _forget_in_redis(voucher_id: int) -> None:
    """Delete what a sale has in Redis; without Redis it expires a week after the sale."""
    try:
        client.get().delete(*keys.for_sale(voucher_id).of_sale_alone)
    except client.UNAVAILABLE as error:
        logger.warning("sale %d stays in Redis until it expires: %s", voucher_id, error)
