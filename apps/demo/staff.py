"""Makes the demo's people of shops: an owner of two, and a cashier who has redeemed some coupons."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.models import FlashSale, Redemption, Status, VoucherOrder
from apps.demo.logins import CASHIER_PHONE, MANAGER_PASSWORD, OWNER_PHONE
from apps.shops.members import membership
from apps.shops.models import ShopMember

#: Shops of the owner, and the orders that the cashier has redeemed in the last minutes.
OWNED_SHOPS, REDEEMED_ORDERS = 2, 5


def make() -> None:
    """With DEMO or DEBUG make the log-ins; on later days the owner gets a shop that has a running sale."""
    if not (settings.DEMO or settings.DEBUG):
        return
    with transaction.atomic():
        owner = _make_person(OWNER_PHONE, "Auntie Fang", MANAGER_PASSWORD)
        cashier = _make_person(CASHIER_PHONE, "Xiao Lin", None)
        for shop_id in _choose_shops(owner):
            ShopMember.objects.get_or_create(
                shop_id=shop_id, user=owner, defaults={"role": ShopMember.Role.OWNER}
            )
            ShopMember.objects.get_or_create(shop_id=shop_id, user=cashier)
        membership.sync_roles_of([owner.pk, cashier.pk])
        if not Redemption.objects.filter(cashier=cashier).exists():
            _redeem_some(cashier)


def _make_person(phone: str, nickname: str, password: str | None) -> User:
    known = User.objects.filter(phone=phone).first()
    return known or User.objects.create_user(phone, password, nickname=nickname, city="Hangzhou")


def _choose_shops(owner: User) -> list[int]:
    """Shops with a running sale that still has units, unless the owner has one already."""
    now = timezone.now()
    running = FlashSale.objects.filter(
        begins_at__lte=now, ends_at__gt=now, stock_left__gt=0, voucher__is_offered=True
    )
    shop_ids = list(running.order_by("pk").values_list("voucher__shop", flat=True))
    if ShopMember.objects.filter(user=owner, shop__in=shop_ids).exists():
        return []
    return list(dict.fromkeys(shop_ids))[:OWNED_SHOPS]


def _redeem_some(cashier: User) -> None:
    """Written directly: the verb tells each buyer, and these were used before the demo began."""
    now = timezone.now()
    shops = ShopMember.objects.filter(user=cashier).values("shop")
    orders = VoucherOrder.objects.filter(voucher__shop__in=shops, status=Status.PAID, paid_at__lt=now)
    for number, order in enumerate(orders.order_by("pk")[:REDEEMED_ORDERS], start=1):
        order.status, order.used_at = Status.USED, now - timedelta(minutes=7 * number)
        order.save(update_fields=["status", "used_at"])
        Redemption.objects.create(order=order, cashier=cashier, created_at=order.used_at)
