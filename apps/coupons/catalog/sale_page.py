"""The state of the sale page's button for one person."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from apps.accounts.models import User
from apps.coupons import refusals
from apps.coupons.catalog import offers
from apps.coupons.claims import request_tokens, seckill
from apps.coupons.models import FlashSale, Voucher, VoucherOrder
from apps.redis_kit import client
from apps.web.problems import Problem

ButtonState = Literal["soon", "open", "got", "have", "sold_out", "ended", "login", "retry", "buy"]
#: The button's state after a refusal; any other refusal is a page of its own.
STATE_BY_REFUSAL_CODE: dict[str, ButtonState] = {
    "not_started": "soon",
    "ended": "ended",
    "sold_out": "sold_out",
    "already_bought": "have",
    "too_many_requests": "retry",
    "not_ready": "retry",
    "busy": "retry",
}
#: States in which the stock may still change, so that the page polls.
POLLED_STATES = frozenset({"soon", "open", "login", "retry", "sold_out"})
#: Seconds between two polls while there is stock, and when it is gone.
POLL_SECONDS, SOLD_OUT_POLL_SECONDS = 2, 10
#: A timer of a browser holds 24 days at most, and no page stays open that long.
MAX_WAIT_SECONDS = 86_400


@dataclass(frozen=True, kw_only=True)
class SalePage:
    """A voucher's page for one person; `left` of `sale.stock_total`, `order_id` with got and have."""

    voucher: Voucher
    state: ButtonState
    signed_in: bool
    left: int = 0
    order_id: int | None = None
    message: str = ""
    retry_after: int | None = None
    request_token: str = field(default_factory=request_tokens.new)
    now: datetime = field(default_factory=timezone.now)

    @property
    def sale(self) -> FlashSale | None:
        return getattr(self.voucher, "sale", None)

    @property
    def login_url(self) -> str:
        return f"{reverse('accounts:login')}?{urlencode({'next': self.voucher.get_absolute_url()})}"

    @property
    def poll_seconds(self) -> int | None:
        """Seconds until the page polls the stock again; None when it can't change any more."""
        if self.sale is None or self.state not in POLLED_STATES:
            return None
        if self.state == "soon":
            wait = int((self.sale.begins_at - self.now).total_seconds()) + 1
            return wait if wait <= MAX_WAIT_SECONDS else None
        return SOLD_OUT_POLL_SECONDS if self.state == "sold_out" else POLL_SECONDS


def build(voucher: Voucher, user: User | None) -> SalePage:
    """The page for this person; without Redis it shows the stock in SQL and lets a buyer try again."""
    own_order_id = _find_own_order_id(voucher, user)
    sale: FlashSale | None = getattr(voucher, "sale", None)
    page = SalePage(voucher=voucher, state="buy" if user else "login", signed_in=user is not None)
    if own_order_id is not None:
        page = replace(page, state="have", order_id=own_order_id)
    if sale is None:
        return page
    known = offers.fetch_stock([sale])
    offer = offers.build_offer(voucher, known)
    page = replace(page, left=offer.left)
    if own_order_id is not None:
        return page
    state = _button_state(offer, user, counted=sale.pk in known)
    return replace(page, state=state, message=str(refusals.NOT_READY.sentence) if state == "retry" else "")


def build_refused(voucher: Voucher, user: User, why: Problem, *, request_token: str) -> SalePage:
    """The page after a refusal, with the same request token: another try is the same request.

    Raises `why` when the button has no state for it.
    """
    if why.code not in STATE_BY_REFUSAL_CODE:
        raise why
    order_id = why.extra.get("order_id")
    return replace(
        build(voucher, user),
        state=STATE_BY_REFUSAL_CODE[why.code],
        order_id=int(str(order_id)) if order_id else None,
        message=str(why.detail),
        retry_after=why.retry_after,
        request_token=request_token,
    )


def build_accepted(voucher: Voucher, user: User, *, order_id: int) -> SalePage:
    """The page of a person whose claim was just accepted."""
    return replace(build(voucher, user), state="got", order_id=order_id)


def has_button_changed(shown: str, page: SalePage) -> bool:
    """Whether the button must be replaced: the browser moves it from soon to open by itself."""
    if page.state in {"sold_out", "ended", "have"}:
        return page.state != shown
    return shown == "sold_out"


def _button_state(offer: offers.Offer, user: User | None, *, counted: bool) -> ButtonState:
    if offer.phase != "running":
        return offer.phase or "buy"
    if user is None:
        return "login"
    return "open" if counted else "retry"


def _find_own_order_id(voucher: Voucher, user: User | None) -> int | None:
    """The person's order of this voucher: in Redis also while it is queued, in SQL for good."""
    if user is None:
        return None
    try:
        queued = seckill.find_order_id(voucher.pk, user_id=user.pk) if hasattr(voucher, "sale") else None
    except client.UNAVAILABLE:
        queued = None
    mine = VoucherOrder.objects.active().filter(user=user, voucher=voucher)
    return queued or mine.values_list("pk", flat=True).first()
