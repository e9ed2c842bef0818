"""Declares the Redis keys of flash sales. The keys of a partition share a slot of a cluster."""

from functools import lru_cache
from typing import Literal, NamedTuple

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

#: Never to be changed: a sale's keys lie in the partition voucher id modulo PARTITIONS.
PARTITIONS = 16
#: The keys of a sale expire so long after its end: late requests are still answered.
RETENTION_AFTER_END_SECONDS = 7 * 86_400

_EXPIRES_AFTER_SALE = _("7 days after the sale's end")
_REBUILT_BY_LOADING = "apps.coupons.claims.loading:rebuild"

SALE = schema.key(
    "coupons:{p<partition>}:sale:<voucher>",
    type="hash",
    about=_(
        "gate and rules of a sale: state (open, recovering, closed, absent), epoch, revision, the fields of "
        "terms.Rules (begins, ends: unix ms; per_person: coupons, 1 when missing), narrowed (unix ms: an "
        "edit that SQL hasn't committed has taken from it), run id of the server that took in the load "
        "(another one has to load again); after a loss also hold_until (unix ms), readmitted (orders) and "
        "handed_in (web processes that put theirs back)"
    ),
    writer=(
        "lua/open_gate, lua/put_terms, lua/narrow_sale, lua/adjust_sale, lua/close_gate, lua/readmit, "
        "lua/note_handed_in"
    ),
    expiry=_("7 days after the sale's end; 10 s when absent"),
    rebuilt_from=_REBUILT_BY_LOADING,
)
STOCK = schema.key(
    "coupons:{p<partition>}:stock:<voucher>",
    type="string",
    about=_("units that nobody has claimed; missing or not a whole number means the gate is closed"),
    writer="lua/open_gate, lua/claim, lua/release, lua/readmit, lua/narrow_sale, lua/adjust_sale",
    expiry=_EXPIRES_AFTER_SALE,
    rebuilt_from=_REBUILT_BY_LOADING,
)
BUYERS = schema.key(
    "coupons:{p<partition>}:buyers:<voucher>",
    type="hash",
    about=_(
        'who holds which order of this sale: user id (a person\'s first coupon) or "user id/piece" (a '
        'further one) -> "order id:request token"'
    ),
    writer="lua/open_gate, lua/claim, lua/release, lua/readmit, lua/adjust_sale",
    expiry=_EXPIRES_AFTER_SALE,
    rebuilt_from=_REBUILT_BY_LOADING,
    private=_("request tokens"),
)
RELEASED = schema.key(
    "coupons:{p<partition>}:released:<voucher>",
    type="hash",
    about=_('cancelled orders: "user id:request token" -> order id, so that a repeated request stays one'),
    writer="lua/open_gate, lua/release, lua/adjust_sale",
    expiry=_EXPIRES_AFTER_SALE,
    rebuilt_from=_REBUILT_BY_LOADING,
    private=_("request tokens"),
)
NEXT_BUYERS = schema.key(
    "coupons:{p<partition>}:next-buyers:<voucher>",
    type="hash",
    about=_("the buyers of a load under way; lua/open_gate renames it"),
    writer="loading.load",
    expiry=_("10 minutes"),
    expendable=_("a load that was cut off starts again from SQL"),
    private=_("request tokens"),
)
NEXT_RELEASED = schema.key(
    "coupons:{p<partition>}:next-released:<voucher>",
    type="hash",
    about=_("the released orders of a load under way; lua/open_gate renames it"),
    writer="loading.load",
    expiry=_("10 minutes"),
    expendable=_("a load that was cut off starts again from SQL"),
    private=_("request tokens"),
)
LOADING = schema.key(
    "coupons:{p<partition>}:loading:<voucher>",
    type="string",
    about=_("one process at a time loads a sale that was found missing"),
    writer="loading.request_load",
    expiry=_("1 s"),
    expendable=_("a second load of the same sale is harmless"),
)
ID_CLOCK = schema.key(
    "coupons:{p<partition>}:ids",
    type="hash",
    about=_(
        "second and per-day counter of the partition's newest order id; run id of the server that began it"
    ),
    writer="lua/claim, lua/open_gate",
    expiry=_("2 days after the last order"),
    rebuilt_from=_REBUILT_BY_LOADING,
)
ORDERS = schema.key(
    "coupons:{p<partition>}:orders",
    type="stream",
    about=_(
        "accepted orders on their way to SQL, an entry for those of one call; it is deleted once their rows "
        "are committed"
    ),
    writer="lua/claim, lua/readmit, consuming.build_consumer",
    expiry=_("none"),
    expendable=_(
        "entries live for moments; one lost with the server never had a row, its unit is free again"
    ),
    private=_("request tokens"),
)
QUEUED = schema.key(
    "coupons:{p<partition>}:queued",
    type="hash",
    about=_('orders that have no row yet: order id -> "voucher:user:accepted unix ms"'),
    writer="lua/claim, lua/readmit, queued_orders.forget",
    expiry=_("none"),
    rebuilt_from="apps.coupons.orders.queued_orders:rebuild",
)
COPIED = schema.key(
    "coupons:copied",
    type="string",
    about=_("written after accepted claims, so that WAIT on any connection covers them (SALE_REPLICAS)"),
    writer="replicas",
    expiry=_("60 s"),
    expendable=_("only its place in the replication stream counts"),
)
NEW_SALE = schema.key(
    "coupons:new-sale:<draft>",
    type="string",
    about=_("an admin's form and the voucher id it became (empty at first): two presses make one sale"),
    writer="drafts",
    expiry=_("2 days"),
    expendable=_("a form that was sent already could make a second sale, which a manager sees and withdraws"),
    private=_("forms that are not saved"),
)


class SaleKeys(NamedTuple):
    """The keys that `claim.lua` takes, in its order."""

    sale: str
    stock: str
    buyers: str
    released: str
    ids: str
    orders: str
    queued: str

    @property
    def of_sale_alone(self) -> list[str]:
        """Those that the sale shares with no other of its partition; they expire with it."""
        return [self.sale, self.stock, self.buyers, self.released]


def partition_of(voucher_id: int) -> int:
    """The partition whose slot and stream a voucher uses."""
    return voucher_id % PARTITIONS


@lru_cache(maxsize=1_024)
def for_sale(voucher_id: int) -> SaleKeys:
    """The keys that a claim of this voucher uses, all in one slot."""
    partition = partition_of(voucher_id)
    return SaleKeys(
        sale=SALE(partition=partition, voucher=voucher_id),
        stock=STOCK(partition=partition, voucher=voucher_id),
        buyers=BUYERS(partition=partition, voucher=voucher_id),
        released=RELEASED(partition=partition, voucher=voucher_id),
        ids=ID_CLOCK(partition=partition),
        orders=ORDERS(partition=partition),
        queued=QUEUED(partition=partition),
    )


def buyers_field(user_id: int, piece: int) -> str:
    """The field of BUYERS at which a person's order of that piece is; claim.lua composes the same."""
    return f"{user_id}/{piece}" if piece else str(user_id)


def order_streams() -> list[str]:
    """The order stream of every partition."""
    return [ORDERS(partition=partition) for partition in range(PARTITIONS)]


GateState = Literal["open", "recovering", "closed", "absent"]
