"""What a cashier redeemed today, and at which shops."""

from apps.accounts.models import User
from apps.coupons.models import Redemption
from apps.shops.members import own_shops
from apps.web.days import start_of_day

MAX_ROWS = 20


def list_today(cashier: User) -> list[Redemption]:
    """The cashier's last redemptions of today, the newest first; one query."""
    rows = Redemption.objects.filter(cashier=cashier, created_at__gte=start_of_day())
    return list(
        rows.select_related("order__voucher__shop", "order__user", "order__holder").order_by("-created_at")[
            :MAX_ROWS
        ]
    )


def find_own(order_id: int, cashier: User) -> Redemption | None:
    """The redemption of an order by this cashier; None when it was another's or none."""
    rows = Redemption.objects.filter(pk=order_id, cashier=cashier)
    return rows.select_related("order__voucher__shop", "order__user", "order__holder").first()


def list_shop_names(cashier: User) -> list[str]:
    """The shops whose coupons the cashier redeems; empty for staff who redeem every shop's."""
    if own_shops.sees_all(cashier):
        return []
    return [member.shop.name for member in own_shops.list_memberships(cashier.pk)]
