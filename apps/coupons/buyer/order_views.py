"""Orders as their buyer sees them, or who was given one: recorded, queued, or set aside as a dead letter."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple, NoReturn, Self

from django.db.models import Count, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from apps.accounts.models import User
from apps.coupons import refusals
from apps.coupons.claims import entries, recovery
from apps.coupons.models import DeadLetter, Gift, Status, Voucher, VoucherOrder
from apps.coupons.models.catalog import MAX_PER_PERSON
from apps.coupons.models.payments import Payment
from apps.coupons.orders import queued_orders
from apps.coupons.orders.queued_orders import QueuedOrder
from apps.coupons.payments import provider, refunds
from apps.redis_kit import client
from apps.web import paging
from apps.web.compiled_queries import CompiledQuery

PAGE_ORDERS = 20
#: A sale gives one coupon at a time: those of one voucher that are ordered within it are one purchase.
PURCHASE_SPAN = timedelta(hours=1)
#: The tabs of the list of orders and the statuses they gather.
TAB_STATUSES: dict[str, tuple[Status, ...]] = {
    "": tuple(Status),
    "unpaid": (Status.UNPAID,),
    "paid": (Status.PAID,),
    "used": (Status.USED,),
    "cancelled": (Status.CANCELLED,),
    "refunded": (Status.REFUNDED,),
}
TAB_LABELS: dict[str, str | Promise] = {
    "": gettext_lazy("All"),
    "unpaid": gettext_lazy("To pay"),
    "paid": gettext_lazy("To use"),
    "used": gettext_lazy("Used"),
    "cancelled": gettext_lazy("Cancelled"),
    "refunded": gettext_lazy("Refunded"),
}
#: The word for what its giver can't use any more, in place of its status.
GIVEN_AWAY = gettext_lazy("given away")
REDEEMABLE_STATUSES = (Status.PAID, Status.USED)


def find_order(order_id: int, user: User) -> VoucherOrder:
    """The order that the person bought or was given, else 404."""
    rows = VoucherOrder.objects.seen_by(user.pk).select_related(
        "user", "holder", "gift", "voucher__shop__type"
    )
    return get_object_or_404(rows, pk=order_id)


def find_order_or_queued(order_id: int, user: User) -> VoucherOrder | queued_orders.QueuedOrder:
    """The person's own order, a row or still on its way to one, else 404.

    Redis is asked first: an order leaves it only after its row is there, so that it is never nowhere.
    """
    try:
        waiting = queued_orders.find(order_id)
    except client.UNAVAILABLE:
        # A row answers without Redis; without a row nobody knows, and that is the outage's 503, not a 404.
        if not VoucherOrder.objects.seen_by(user.pk).filter(pk=order_id).exists():
            raise
        waiting = None
    if waiting is None or VoucherOrder.objects.filter(pk=order_id).exists():
        return find_order(order_id, user)
    if waiting.user_id != user.pk:
        raise Http404
    return waiting


def require_order(order_id: int, user: User) -> VoucherOrder | queued_orders.QueuedOrder:
    """The person's own order, a row or still on its way to one; else Problem 410 order_lost, or 404."""
    try:
        return find_order_or_queued(order_id, user)
    except Http404:
        refuse_absent(order_id)


def refuse_absent(order_id: int) -> NoReturn:
    """Problem 410 order_lost for an id that a lost Redis may have given to a person, else 404."""
    if recovery.may_have_lost(order_id):
        raise refusals.ORDER_LOST.problem()
    raise Http404


@dataclass(frozen=True, kw_only=True)
class JointPayment:
    """Unpaid orders of one voucher that can be paid at once: their sum, and the first deadline of theirs."""

    order_ids: tuple[int, ...]
    total: int
    currency: str
    pay_deadline: datetime

    @property
    def count(self) -> int:
        return len(self.order_ids)


class OwnOrder(NamedTuple):
    """Another order of the person of the same voucher; `number` counts them all from 1."""

    id: int
    number: int
    label: str | Promise


@dataclass(frozen=True, kw_only=True)
class OrderView:
    """One order for its buyer or holder: `price` in minor units, `redeem_code` once paid, `reason` of a
    cancellation by the site.
    """

    id: int
    status: Status
    voucher: Voucher
    price: int
    currency: str
    accepted_at: datetime
    pay_deadline: datetime | None = None
    paid_at: datetime | None = None
    used_at: datetime | None = None
    cancelled_at: datetime | None = None
    refunded_at: datetime | None = None
    redeem_code: str | None = None
    valid_until: datetime | None = None
    reason: str = ""
    #: The last attempt to pay it, and once a buyer wants to pay, where.
    payment: Payment | None = None
    pay_url: str = ""
    #: With which others it can be paid, and all that its buyer has of the voucher; see add_others.
    together: JointPayment | None = None
    others: tuple[OwnOrder, ...] = ()
    #: The nickname of the other side of a gift; None: that is the reader, or it is no gift.
    given_by: str | None = None
    given_to: str | None = None
    given_at: datetime | None = None
    #: The link with which the buyer gives it to somebody, and until when; while nobody has taken it.
    gift_number: str = ""
    #: What the giver wrote to the receiver.
    gift_words: str = ""
    gift_open_until: datetime | None = None

    @property
    def pay_until(self) -> datetime | None:
        """Until when it can be paid, with all that can be paid at once."""
        return self.together.pay_deadline if self.together else self.pay_deadline

    @property
    def is_gift(self) -> bool:
        """Whether it was given to the reader, or by them."""
        return self.given_at is not None

    @property
    def is_given_away(self) -> bool:
        """Whether it is another's to use, to whom the reader gave it."""
        return self.given_to is not None and self.status == Status.PAID

    @property
    def is_used(self) -> bool:
        return self.status == Status.USED

    @property
    def has_lapsed(self) -> bool:
        """Whether the order was still unused when its time was over."""
        ended = self.refunded_at or timezone.now()
        is_unused = self.status in (Status.PAID, Status.REFUNDED)
        return is_unused and self.valid_until is not None and self.valid_until <= ended

    @property
    def label(self) -> str | Promise:
        """The one word for its state, wherever an order is listed."""
        if self.is_given_away and not self.has_lapsed:
            return GIVEN_AWAY
        return gettext_lazy("expired") if self.has_lapsed else self.status.label

    @property
    def tone(self) -> str:
        """The colour name of its badge; "" for what is over."""
        return "" if self.has_lapsed or self.is_given_away else self.status.tone

    @property
    def is_overdue(self) -> bool:
        """Whether the order is unpaid past its deadline and about to be cancelled."""
        past = self.pay_deadline is not None and self.pay_deadline <= timezone.now()
        return self.status == Status.UNPAID and past


@dataclass(frozen=True)
class Purchase:
    """Orders of one voucher that were bought together, the newest first; a gift is one by itself."""

    orders: tuple[OrderView, ...]

    @property
    def first(self) -> OrderView:
        return self.orders[0]

    @property
    def parts(self) -> list[OrderView]:
        """The orders in the order of their numbers."""
        return list(reversed(self.orders))

    @property
    def total(self) -> int:
        return sum(order.price for order in self.orders)

    @property
    def payable(self) -> OrderView | None:
        """The order with which others can be paid at once."""
        return next((order for order in self.orders if order.together), None)

    @property
    def states(self) -> list[tuple[OrderView, int]]:
        """An order for each state that the orders are in, and how many are."""
        by_label: dict[str, list[OrderView]] = {}
        for order in self.orders:
            by_label.setdefault(f"{order.label}{order.is_overdue}", []).append(order)
        return [(same[0], len(same)) for same in by_label.values()]

    def goes_on_with(self, order: OrderView) -> bool:
        """Whether the order before this purchase in time belongs to it."""
        last = self.orders[-1]
        is_own = last.given_by is None and order.given_by is None
        is_same = (order.voucher.pk, order.currency) == (last.voucher.pk, last.currency)
        return is_own and is_same and last.accepted_at - order.accepted_at < PURCHASE_SPAN


def get_own(order_id: int, user: User) -> OrderView:
    """The person's own order, else 404; client.UNAVAILABLE when only Redis could know it.

    Problem 410 order_lost for an id that a lost Redis may have given to a person.
    """
    try:
        found = find_order_or_queued(order_id, user)
    except Http404:
        return _from_dead_letter(order_id, user)
    return _from_queued(found) if isinstance(found, QueuedOrder) else from_row(found, viewer_id=user.pk)


class OrderState(NamedTuple):
    """The status of an order, and until when it can be paid while it is unpaid."""

    status: str
    pay_deadline: datetime | None = None

    @classmethod
    def from_row(cls, status: str, pay_deadline: datetime) -> Self:
        return cls(status, pay_deadline if status == Status.UNPAID else None)


def fetch_states(order_ids: Sequence[int]) -> dict[int, OrderState]:
    """The states of accepted orders by id; one query for any number of them, or two if some have no row."""
    rows = _find_states(list(order_ids))
    found = {order_id: OrderState.from_row(status, deadline) for order_id, status, deadline in rows}
    missing = [order_id for order_id in order_ids if order_id not in found]
    if not missing:
        return found
    dead_letters = DeadLetter.objects.filter(order_id__in=missing, replayed_at=None)
    set_aside = {
        number: OrderState(Status.CANCELLED)
        for number in dead_letters.values_list("order_id", flat=True)
        if number
    }
    return dict.fromkeys(missing, OrderState(Status.QUEUED)) | set_aside | found


@CompiledQuery
def _find_states(order_ids: list[int]) -> QuerySet[VoucherOrder, tuple[int, str, datetime]]:
    return VoucherOrder.objects.filter(pk__in=order_ids).values_list("id", "status", "pay_deadline")


@cache
def _query_pages(tab: str, *, is_kept: bool) -> paging.CompiledPages[[int], VoucherOrder]:
    def build(user_id: int) -> QuerySet[VoucherOrder]:
        rows = VoucherOrder.objects.seen_by(user_id).filter(status__in=TAB_STATUSES[tab])
        if is_kept:
            rows = rows.filter(Q(holder=None) | Q(holder=user_id))
        return rows.select_related("user", "holder", "gift", "voucher__shop__type")

    return paging.CompiledPages(build, model=VoucherOrder, order=["-id"], types=[int])


@CompiledQuery
def _count_by_status(user_id: int) -> QuerySet[VoucherOrder, tuple[str, int, int]]:
    """(status, number of orders, how many of them the person gave away)."""
    is_away = Q(user=user_id, holder__isnull=False)
    mine = VoucherOrder.objects.seen_by(user_id)
    return mine.order_by().values_list("status").annotate(all=Count("id"), away=Count("id", filter=is_away))


@CompiledQuery
def _query_of_vouchers(user_id: int, voucher_ids: list[int]) -> QuerySet[VoucherOrder]:
    rows = VoucherOrder.objects.active().filter(user=user_id, voucher__in=voucher_ids).order_by("pk")
    return rows.only("voucher_id", "status", "price", "currency", "pay_deadline", "holder_id")


@CompiledQuery
def _query_payments(order_ids: list[int]) -> QuerySet[Payment]:
    return Payment.objects.filter(order_id__in=order_ids).order_by("id")


def list_page(
    user: User, *, tab: str = "", cursor: str | None = None, size: int = PAGE_ORDERS, is_kept: bool = False
) -> tuple[list[OrderView], str | None]:
    """A page of what the person bought or was given, newest first, and the next cursor; BadCursor.

    `is_kept` leaves out what they gave away.
    """
    page = _query_pages(tab, is_kept=is_kept).fetch(cursor, size, user.pk)
    return from_rows(page.items, viewer_id=user.pk), page.next


def list_purchases(
    user: User, *, tab: str = "", cursor: str | None = None
) -> tuple[list[Purchase], str | None]:
    """A page of the person's purchases, none of them cut, newest first, and the next cursor; BadCursor."""
    size = PAGE_ORDERS + MAX_PER_PERSON
    views, following = list_page(user, tab=tab, cursor=cursor, size=size, is_kept=tab == "paid")
    purchases: list[Purchase] = []
    for view in add_others(views, user):
        if purchases and purchases[-1].goes_on_with(view):
            purchases[-1] = Purchase((*purchases[-1].orders, view))
        elif sum(len(purchase.orders) for purchase in purchases) < PAGE_ORDERS:
            purchases.append(Purchase((view,)))
        else:
            last = purchases[-1].orders[-1].id
            return purchases, paging.encode(last, kind=paging.list_kind(VoucherOrder, ["-id"]))
    return purchases, following


def add_others(views: Sequence[OrderView], user: User) -> list[OrderView]:
    """The same orders, with what else the person has of their vouchers; the first unpaid one of each voucher
    says what can be paid at once. One query, if one may have several of one of them.
    """
    several = {view.voucher.pk for view in views if view.voucher.per_person > 1 and view.given_by is None}
    if not several:
        return list(views)
    by_voucher: dict[int, list[VoucherOrder]] = {}
    for row in _query_of_vouchers(user.pk, list(several)):
        by_voucher.setdefault(row.voucher_id, []).append(row)
    joint = _find_joint_payments(by_voucher) if provider.takes_several() else {}
    return [
        replace(
            view,
            others=tuple(_list_others(view.id, by_voucher.get(view.voucher.pk, ()))),
            together=joint.pop(view.voucher.pk, None) if view.status == Status.UNPAID else None,
        )
        for view in views
    ]


def _list_others(order_id: int, rows: Sequence[VoucherOrder]) -> Iterator[OwnOrder]:
    for number, row in enumerate(rows, start=1):
        if row.pk != order_id:
            is_away = row.holder_id is not None and row.status == Status.PAID
            yield OwnOrder(row.pk, number, GIVEN_AWAY if is_away else Status(row.status).label)


def _find_joint_payments(by_voucher: Mapping[int, Sequence[VoucherOrder]]) -> dict[int, JointPayment]:
    """What can be paid at once, by voucher: two orders or more whose time isn't over."""
    now, found = timezone.now(), {}
    for voucher_id, rows in by_voucher.items():
        unpaid = [row for row in rows if row.status == Status.UNPAID and row.pay_deadline > now]
        if len(unpaid) > 1 and len({row.currency for row in unpaid}) == 1:
            found[voucher_id] = JointPayment(
                order_ids=tuple(row.pk for row in unpaid),
                total=sum(row.price for row in unpaid),
                currency=unpaid[0].currency,
                pay_deadline=min(row.pay_deadline for row in unpaid),
            )
    return found


class Tab(NamedTuple):
    """A tab of the list of orders, the text on it, and how many orders are behind it."""

    name: str
    label: str | Promise
    orders: int


def count_by_tab(user: User) -> list[Tab]:
    """The tabs of the person's orders; one query. What they gave away isn't theirs to use."""
    rows = list(_count_by_status(user.pk))
    counts = {status: number for status, number, _away in rows}
    away = sum(number for status, _all, number in rows if status == Status.PAID)
    return [
        Tab(
            name,
            TAB_LABELS[name],
            sum(counts.get(status, 0) for status in statuses) - (away if name == "paid" else 0),
        )
        for name, statuses in TAB_STATUSES.items()
    ]


def from_rows(rows: Iterable[VoucherOrder], *, viewer_id: int) -> list[OrderView]:
    """Rows as their buyer or holder sees them; voucher, shop, people and gift are selected. One more query,
    for the payments.
    """
    found = list(rows)
    bought_ids = [row.pk for row in found if row.user_id == viewer_id]
    payments = {payment.order_id: payment for payment in (_query_payments(bought_ids) if bought_ids else ())}
    return [_from_row_and_payment(row, payments.get(row.pk), viewer_id) for row in found]


def from_row(row: VoucherOrder, *, viewer_id: int) -> OrderView:
    """A row as its buyer or holder sees it; voucher, shop, people and gift are selected."""
    return from_rows([row], viewer_id=viewer_id)[0]


def _from_row_and_payment(row: VoucherOrder, payment: Payment | None, viewer_id: int) -> OrderView:
    """The code to redeem stays hidden until the order is paid, and from the buyer once it is given away."""
    status, has_code = Status(row.status), row.status in REDEEMABLE_STATUSES and row.guest_id == viewer_id
    view = OrderView(
        id=row.pk,
        status=status,
        voucher=row.voucher,
        price=row.price,
        currency=row.currency,
        accepted_at=row.accepted_at,
        pay_deadline=row.pay_deadline,
        paid_at=row.paid_at,
        used_at=row.used_at,
        cancelled_at=row.cancelled_at,
        refunded_at=row.refunded_at,
        redeem_code=row.redeem_code if has_code else None,
        valid_until=row.valid_until,
        payment=payment,
    )
    return replace(view, **_describe_gift(row, viewer_id))


def _describe_gift(row: VoucherOrder, viewer_id: int) -> dict[str, Any]:
    gift: Gift | None = getattr(row, "gift", None)
    if gift is None:
        return {}
    if row.holder is not None:
        other = (
            {"given_to": row.holder.nickname} if row.user_id == viewer_id else {"given_by": row.user.nickname}
        )
        return other | {"given_at": gift.taken_at, "gift_words": gift.words}
    if gift.is_open and row.status == Status.PAID and not row.has_lapsed:
        about = {"gift_number": gift.number, "gift_open_until": gift.expires_at}
        return about | {"gift_words": gift.words}
    return {}


def _from_queued(order: QueuedOrder) -> OrderView:
    return _without_row(
        order.order_id, Status.QUEUED, voucher_id=order.voucher_id, accepted_at=order.accepted_at
    )


def _from_dead_letter(order_id: int, user: User) -> OrderView:
    dead_letter = DeadLetter.objects.filter(order_id=order_id, replayed_at=None).first()
    try:
        accepted = entries.parse(dead_letter.fields) if dead_letter else None
    except entries.MalformedEntry:
        accepted = None
    if accepted is None or accepted.user_id != user.pk:
        refuse_absent(order_id)
    return _without_row(
        order_id,
        Status.CANCELLED,
        voucher_id=accepted.voucher_id,
        accepted_at=accepted.accepted_at,
        reason=refunds.explain_cancellation(order_id),
    )


def _without_row(
    order_id: int, status: Status, *, voucher_id: int, accepted_at: datetime, reason: str = ""
) -> OrderView:
    voucher = Voucher.objects.select_related("shop__type").filter(pk=voucher_id).first()
    if voucher is None:
        raise Http404
    return OrderView(
        id=order_id,
        status=status,
        voucher=voucher,
        price=voucher.price,
        currency=voucher.currency,
        accepted_at=accepted_at,
        valid_until=voucher.valid_until,
        reason=reason,
        payment=Payment.objects.newest([order_id]).get(order_id),
    )
