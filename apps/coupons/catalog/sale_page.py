"""The voucher's page as everybody sees it; what is a person's own is added in the browser."""

from dataclasses import dataclass
from typing import Literal

from django.utils.functional import Promise

from apps.coupons import live_settings, refusals
from apps.coupons.catalog import offers, reminders
from apps.coupons.models import FlashSale, Voucher

ButtonState = Literal["soon", "open", "sold_out", "ended", "buy"]
STATES: dict[offers.OfferPhase | None, ButtonState] = {
    None: "buy",
    "soon": "soon",
    "running": "open",
    "sold_out": "sold_out",
    "ended": "ended",
}
#: Sentences of refusals by code, for a form that was sent without JavaScript.
SENTENCES: dict[str, str | Promise] = {
    refusal.code: refusal.sentence
    for refusal in (
        refusals.NOT_FOUND,
        refusals.NOT_STARTED,
        refusals.ENDED,
        refusals.SOLD_OUT,
        refusals.NOT_READY,
        refusals.BUSY,
    )
} | {"too_many_requests": refusals.TOO_OFTEN}


@dataclass(frozen=True, kw_only=True)
class SalePage:
    """A voucher's page; `left` of `sale.stock_total`; `waiting` for a reminder, None when it is too late."""

    voucher: Voucher
    state: ButtonState
    left: int = 0
    waiting: int | None = None
    notice: str | Promise = ""

    @property
    def sale(self) -> FlashSale | None:
        return getattr(self.voucher, "sale", None)

    @property
    def minutes_to_pay(self) -> int:
        return live_settings.minutes_to_pay()


def build(voucher: Voucher, *, reason: str = "") -> SalePage:
    """The page, with the sentence of a refusal's code; without Redis it shows the stock in SQL."""
    sale: FlashSale | None = getattr(voucher, "sale", None)
    offer = offers.build_offer(voucher, offers.fetch_stock([sale] if sale else []))
    return SalePage(
        voucher=voucher,
        state=STATES[offer.phase],
        left=offer.left,
        waiting=reminders.count_waiting_if_open(sale) if sale else None,
        notice=SENTENCES.get(reason, ""),
    )
