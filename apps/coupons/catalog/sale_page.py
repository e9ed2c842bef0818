"""The voucher's page as everybody sees it, and what it says of itself to search engines and previews."""

from dataclasses import dataclass
from typing import Any, Literal

from django.utils.functional import Promise

from apps.coupons import live_settings, refusals
from apps.coupons.catalog import offers, reminders
from apps.coupons.models import FlashSale, Voucher
from apps.shops import money, shop_metadata
from apps.web.page_metadata import PageMetadata

ButtonState = Literal["soon", "open", "sold_out", "ended", "buy"]
STATES: dict[offers.OfferPhase | None, ButtonState] = {
    None: "buy",
    "soon": "soon",
    "running": "open",
    "sold_out": "sold_out",
    "ended": "ended",
}
MAX_LEFT_DIGITS = 2
#: What makes the sentences of refusals that name a number, by code.
WITH_NUMBER = {
    refusals.TOO_MANY: refusals.explain_too_many,
    refusals.STREAK_TOO_SHORT: refusals.explain_streak,
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

AVAILABILITY: dict[ButtonState, str] = {
    "soon": "PreOrder",
    "open": "LimitedAvailability",
    "sold_out": "SoldOut",
    "ended": "Discontinued",
    "buy": "InStock",
}


@dataclass(frozen=True, kw_only=True)
class SalePage:
    """A voucher's page; `left` of `sale.stock_total`; `waiting` for a reminder, None when it is too late."""

    voucher: Voucher
    state: ButtonState
    left: int = 0
    waiting: int | None = None
    notice: str | Promise = ""

    @property
    def choices(self) -> list[tuple[int, int]]:
        """How many of an ordinary voucher one may buy at once, each with its price."""
        return [(count, count * self.voucher.price) for count in range(1, self.voucher.per_person + 1)]

    @property
    def sale(self) -> FlashSale | None:
        return getattr(self.voucher, "sale", None)

    @property
    def minutes_to_pay(self) -> int:
        return live_settings.minutes_to_pay()


def build_page(voucher: Voucher, *, reason: str = "", left: str = "") -> SalePage:
    """The page, with the sentence of a refusal's code, and of how many are left for the person where the code
    says that; without Redis it shows the stock in SQL.
    """
    sale: FlashSale | None = getattr(voucher, "sale", None)
    offer = offers.build_offer(voucher, offers.fetch_stock([sale] if sale else []))
    return SalePage(
        voucher=voucher,
        state=STATES[offer.phase],
        left=offer.left,
        waiting=reminders.count_waiting_if_open(sale) if sale else None,
        notice=_explain(reason, left),
    )


def _explain(reason: str, left: str) -> str | Promise:
    explain = WITH_NUMBER.get(reason)
    if explain and left.isascii() and left.isdigit() and len(left) <= MAX_LEFT_DIGITS:
        return explain(int(left))
    return SENTENCES.get(reason, "")


def describe_page(page: SalePage) -> PageMetadata:
    """The metadata of a voucher's page: its price, its window, and whether any are left."""
    voucher = page.voucher
    return PageMetadata(
        title=voucher.title,
        description=" · ".join(filter(None, (voucher.subtitle, voucher.shop.name))),
        image=voucher.preview_url,
        kind="product",
        data={
            "@type": "Offer",
            "name": voucher.title,
            "url": voucher.get_absolute_url(),
            "price": money.write_plainly(voucher.price, voucher.currency),
            "priceCurrency": voucher.currency,
            "availability": f"https://schema.org/{AVAILABILITY[page.state]}",
            "offeredBy": shop_metadata.name_shop(voucher.shop),
        }
        | _window(page),
    )


def _window(page: SalePage) -> dict[str, Any]:
    if page.sale is None:
        return {}
    begins, ends = page.sale.begins_at.isoformat(), page.sale.ends_at.isoformat()
    return {"availabilityStarts": begins, "availabilityEnds": ends, "priceValidUntil": ends}
