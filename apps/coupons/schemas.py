"""Coupons and orders in the JSON API: times with zone, money in minor units, order ids as strings."""

from datetime import datetime
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from apps.coupons.buyer.order_views import OrderView
from apps.coupons.catalog.offers import Offer
from apps.coupons.models import Gift, Voucher
from apps.coupons.models.catalog import MAX_PER_PERSON
from apps.shops.models import Shop
from apps.web import in_language, paging
from apps.web.problems.parsing import Body

EXAMPLE_ORDER_ID = "224835412934656033"
EXAMPLE_CODE = "7KQ29XMW4TBD"
EXAMPLE_RECEIPT = (
    f"1.{EXAMPLE_ORDER_ID}.5.7.1.b1946ac92492d2347c6235b4d2611184.6f1ed002ab5595859014ebf0951522d9"
)
EXAMPLE_GIFT_TOKEN = "m3Xz0dQw8c1LrTfa.9yPpKBa3nVhQmYc1k0r5uT7wZx2eDfGhJkLmNoPqRsT"  # noqa: S105
_VOUCHER_TEXTS, _SHOP_TEXTS = ("title", "subtitle", "rules"), ("name", "address")
SaleState = Literal["not_started", "running", "sold_out", "ended"]
OrderNumber = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,18}$")]
OrderStatus = Literal["queued", "unpaid", "paid", "used", "cancelled", "refunded"]
PaymentState = Literal["begun", "expired", "succeeded", "failed", "refunding", "refunded"]


class OrderIdOut(Schema):
    order_id: str = Field(
        description="a 64-bit number: too large for JavaScript's", examples=[EXAMPLE_ORDER_ID]
    )


class PurchaseOut(OrderIdOut):
    """`order_id` is the first of `order_ids`."""

    order_ids: list[str] = Field(
        description="an order for each coupon that was bought", examples=[[EXAMPLE_ORDER_ID]]
    )


class CheckoutIn(Body):
    """Your unpaid orders, all of one voucher."""

    order_ids: list[OrderNumber] = Field(
        min_length=1, max_length=MAX_PER_PERSON, description="each once", examples=[[EXAMPLE_ORDER_ID]]
    )

    @field_validator("order_ids")
    @classmethod
    def require_each_once(cls, numbers: list[str]) -> list[str]:
        """The numbers, if none is there twice."""
        if len(set(numbers)) < len(numbers):
            raise PydanticCustomError("named_twice", "An order is named twice")
        return numbers


class CheckoutOut(Schema):
    """Where the buyer pays all of them at once; each is paid, refunded and used by itself."""

    order_ids: list[str] = Field(description="what is paid", examples=[[EXAMPLE_ORDER_ID]])
    pay_url: str = Field(description="a page of the payment provider, to open in a browser")


class ClaimOut(OrderIdOut):
    receipt: str = Field(
        description="proof of the claim: kept until the order is unpaid, handed in if the order is gone",
        examples=[EXAMPLE_RECEIPT],
    )


class OrderShopOut(Schema):
    id: int
    name: str
    address: str
    cover_url: str = Field(description="URL of the picture of lists")
    url: str = Field(description="the shop's page")
    texts: in_language.Texts = None

    @staticmethod
    def resolve_url(shop: Shop) -> str:
        return shop.get_absolute_url()


class StockOut(Schema):
    left: int = Field(description="units")
    total: int = Field(description="units")


class VoucherFields(Schema):
    """`price` is what one pays, `value` what it is worth at the shop."""

    id: int
    title: str
    subtitle: str
    rules: str = Field(description="when and how it can be used")
    price: int = Field(description="what one pays, in the smallest unit of `currency`")
    value: int = Field(description="what it is worth at the shop, in the smallest unit of `currency`")
    currency: str = Field(description="ISO 4217")
    valid_until: datetime | None = Field(description="null: it never expires")
    per_person: int = Field(description="how many one person may have, each an order")
    picture_url: str = Field(description="empty: it has none")
    url: str = Field(description="the voucher's page")
    texts: in_language.Texts = None


class VoucherOut(VoucherFields):
    @staticmethod
    def resolve_url(voucher: Voucher) -> str:
        return voucher.get_absolute_url()


class SaleOut(Schema):
    """A flash sale: claims are accepted from `begins_at` until before `ends_at`."""

    begins_at: datetime = Field(description="claims are accepted from then on")
    ends_at: datetime = Field(description="claims are accepted until before")
    stock_total: int = Field(description="units")
    stock_left: int = Field(description="units")
    streak_days: int = Field(description="days in a row on which a buyer must have checked in; 0: none")
    state: SaleState


class OfferOut(VoucherFields):
    """`sale` is null for a voucher that can be bought at any time."""

    sale: SaleOut | None


class OffersOut(Schema):
    items: list[OfferOut]
    next: paging.Next


class OrderOut(Schema):
    """One's own order; `reason` says why an order was cancelled without its buyer's wish."""

    id: str = Field(examples=[EXAMPLE_ORDER_ID])
    status: OrderStatus
    voucher: VoucherOut
    shop: OrderShopOut
    price: int = Field(description="what one pays, in the smallest unit of `currency`")
    currency: str = Field(description="ISO 4217")
    accepted_at: datetime = Field(description="when the claim was accepted")
    pay_deadline: datetime | None = Field(description="null while the order is queued")
    paid_at: datetime | None
    used_at: datetime | None
    cancelled_at: datetime | None
    refunded_at: datetime | None
    redeem_code: str | None = Field(
        description="null until the order is paid, and once it is refunded; show it in groups of four",
        examples=[EXAMPLE_CODE],
    )
    valid_until: datetime | None = Field(
        description="the money of one that was not used by then goes back; null: it never expires"
    )
    reason: str = Field(description="why it was cancelled without its buyer's wish, or empty")
    payment: PaymentState | None = Field(
        description="of the last attempt to pay; null before the first, and for who got it as a gift"
    )
    given_by: str | None = Field(
        description="the nickname of who bought it, for the one to whom it was given; else null"
    )
    given_to: str | None = Field(
        description="the nickname of who took it, for the buyer who gave it away; else null"
    )
    given_at: datetime | None = Field(description="when it was taken as a gift; null: it was not")
    gift_open_until: datetime | None = Field(
        description="until when its link can be taken, which its buyer made; null: there is none"
    )

    @staticmethod
    def resolve_id(order: OrderView) -> str:
        return str(order.id)

    @staticmethod
    def resolve_payment(order: OrderView) -> str | None:
        return order.payment.state if order.payment else None

    @staticmethod
    def resolve_shop(order: OrderView) -> Shop:
        return order.voucher.shop


class PayOut(OrderOut):
    """`pay_url` is a page of the payment provider; the order is paid once the provider says so."""

    pay_url: str = Field(description="a page of the payment provider, to open in a browser")


class GiftIn(Body):
    """What goes along with a gift; all of it may be left out."""

    words: str = Field(
        "",
        max_length=Gift.MAX_WORDS_LENGTH,
        description="a word to whoever takes it, in one line; without them those of an open link stay",
        examples=["Happy birthday!"],
    )


class GiftLinkOut(Schema):
    """A link to send to one person: whoever opens it, logs in and takes it, has the coupon."""

    url: str = Field(description="the page to send, absolute")
    token: str = Field(description="what stands in the link", examples=[EXAMPLE_GIFT_TOKEN])
    expires_at: datetime = Field(description="until when it can be taken")
    words: str = Field(description="what you write to whoever takes it", examples=["Happy birthday!"])


class GiftOut(Schema):
    """A gift behind its link; for who has taken it only `order_id`, which is null for everybody else."""

    order_id: str | None = Field(description="the order, for who has taken it", examples=[EXAMPLE_ORDER_ID])
    voucher: VoucherOut | None = None
    shop: OrderShopOut | None = None
    giver: str | None = Field(None, description="the nickname of who gives it")
    words: str = Field("", description="what they write to you", examples=["Happy birthday!"])
    valid_until: datetime | None = Field(
        None, description="until when the coupon can be used; null: for ever"
    )
    expires_at: datetime | None = Field(None, description="until when the gift can be taken")


class OrdersOut(Schema):
    items: list[OrderOut]
    next: paging.Next


def add_order_texts(order: OrderView) -> None:
    """Have an OrderOut show the texts of its voucher and its shop in both languages."""
    in_language.add_texts(order.voucher, _VOUCHER_TEXTS)
    in_language.add_texts(order.voucher.shop, _SHOP_TEXTS)


def offer_fields(offer: Offer, *, all_languages: bool = False) -> dict[str, Any]:
    """The fields of an OfferOut."""
    if all_languages:
        in_language.add_texts(offer.voucher, _VOUCHER_TEXTS)
    return VoucherOut.from_orm(offer.voucher).dict(exclude_unset=True) | {"sale": _sale_fields(offer)}


def _sale_fields(offer: Offer) -> SaleOut | None:
    sale, phase = offer.sale, offer.phase
    if sale is None or phase is None:
        return None
    return SaleOut(
        begins_at=sale.begins_at,
        ends_at=sale.ends_at,
        stock_total=sale.stock_total,
        stock_left=offer.left,
        streak_days=sale.streak_days,
        state="not_started" if phase == "soon" else phase,
    )
