"""Gifts: a link that gives a paid and unused coupon to a person, once; refusals are Problems.

Every change locks the order's row first and looks at it then. A redemption and a refund change the same row
under the code or the holder that they read, so one of two competing changes wins (decision 127). The one who
paid stays the order's `user`: limits count them, and money goes back to them.
"""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.accounts.relations import blocks
from apps.coupons import limits, refusals
from apps.coupons.buyer import order_views
from apps.coupons.models import Gift, Status, Voucher, VoucherOrder
from apps.coupons.orders import effects, redeem_codes
from apps.coupons.orders.effects import Event
from apps.coupons.orders.queued_orders import QueuedOrder
from apps.moderation.kinds import ReportableKind, Subject
from apps.moderation.models import Reason
from apps.web.problems import Problem

#: How long a link can be taken, unless its coupon expires before.
LINK_LIFETIME = timedelta(days=7)
#: 96 random bits, written as 16 characters.
NUMBER_BYTES = 12
_SIGNER = signing.Signer(salt="coupons.gift", sep=".")


class OpenGift(NamedTuple):
    """A gift that can be taken: what it is, and who gives it."""

    order: VoucherOrder
    expires_at: datetime
    words: str

    @property
    def voucher(self) -> Voucher:
        return self.order.voucher


class TakenGift(NamedTuple):
    """A gift that the person took before: their order."""

    order_id: int


def make(order_id: int, *, user: User, words: str = "") -> Gift:
    """The link that gives the person's own coupon away, with words to the receiver; the same again, with the
    newest words, while it can be taken.

    Problem 404, 409 not_possible with the order's status or given, 410 order_lost, 422 invalid words, 429,
    403 suspended for words.
    """
    limits.charge_gift(user.pk)
    words = _clean_words(words, user)
    _require_recorded(order_id, user)
    with transaction.atomic():
        order = _lock_own(order_id, user)
        if order.status != Status.PAID or order.has_lapsed:
            raise refusals.cannot_be_given(order.status)
        gift = Gift.objects.filter(order=order).first()
        if gift is None or not gift.is_open:
            made = _new_link(order) | {"words": words}
            gift, _is_new = Gift.objects.update_or_create(order=order, defaults=made)
        elif words and words != gift.words:
            gift.words = words
            gift.save(update_fields=["words"])
        return gift


def _clean_words(words: str, user: User) -> str:
    if not words:
        return ""
    suspensions.require_may_write(user)
    try:
        return str(Gift._meta.get_field("words").clean(words, None))
    except ValidationError as error:
        sentence = " ".join(error.messages)
        fields = [{"field": "words", "message": sentence}]
        raise Problem(422, "invalid", sentence, errors=fields) from None


def take_back(order_id: int, *, user: User) -> None:
    """End the link of the person's own coupon, so that no person can take it; fine without one.

    Problem 404, 409 given once it is taken, 410 order_lost, 429.
    """
    limits.charge_gift(user.pk)
    _require_recorded(order_id, user)
    with transaction.atomic():
        order = _lock_own(order_id, user)
        Gift.objects.filter(order=order).delete()


class GiftWordsKind(ReportableKind):
    """What a giver wrote to who took the gift, by the order's id: hiding empties it."""

    label = _("words of a gift")
    without_reasons = frozenset({Reason.WRONG_SHOP.value})

    def find(self, target_id: int, reader: User) -> Subject:
        gifts = Gift.objects.exclude(words="").select_related("order")
        gift = get_object_or_404(gifts, order=target_id, order__holder=reader)
        return Subject(gift.order.user_id, gift.words, gift.order.get_absolute_url())

    def hide(self, target_id: int) -> dict[str, Any]:
        gift = get_object_or_404(Gift.objects.select_for_update().exclude(words=""), order=target_id)
        before = {"words": gift.words}
        Gift.objects.filter(order=target_id).update(words="")
        return before

    def restore(self, target_id: int, before: Mapping[str, Any]) -> None:
        if not Gift.objects.filter(order=target_id, words="").update(words=before["words"]):
            raise Http404

    def describe(self, target_id: int) -> str:
        gift = Gift.objects.filter(order=target_id).first()
        return format_html("<blockquote>{}</blockquote>", gift.words) if gift and gift.words else ""


def write_token(number: str) -> str:
    """The signed text of a gift's number, for its link."""
    return _SIGNER.sign(number)


def build_link(request: HttpRequest, number: str) -> str:
    """The address to send to a person, for the number of a gift."""
    return request.build_absolute_uri(reverse("coupons:gift", args=[write_token(number)]))


def find(token: str, *, viewer_id: int | None) -> OpenGift | TakenGift:
    """The gift of a link, or the order of who took it; else Problem 404 or 410 gift_gone."""
    rows = Gift.objects.select_related("order__user", "order__voucher__shop__type")
    found = rows.filter(number=_read_number(token)).first()
    if found is None:
        raise refusals.GIFT_GONE.problem()
    if viewer_id is not None and found.order.holder_id == viewer_id:
        return TakenGift(found.order_id)
    _require_open(found, found.order, viewer_id)
    return OpenGift(found.order, found.expires_at, found.words)


def take(token: str, *, user: User) -> int:
    """Make the person the holder of a gift's coupon, with a new code; the id of the order. Again is fine.

    Problem 404, 409 own_gift, 410 gift_gone, 429.
    """
    limits.charge_gift(user.pk)
    found = find(token, viewer_id=user.pk)
    if isinstance(found, TakenGift):
        return found.order_id
    with transaction.atomic():
        order = (
            VoucherOrder.objects.select_for_update(of=("self",)).select_related("user").get(pk=found.order.pk)
        )
        gift = Gift.objects.filter(order=order, number=_read_number(token)).first()
        if gift is not None and order.holder_id == user.pk:
            # Pressed twice: the other press was a moment faster.
            return order.pk
        if gift is None:
            raise refusals.GIFT_GONE.problem()
        _require_open(gift, order, user.pk)
        if order.user_id == user.pk:
            raise refusals.OWN_GIFT.problem()
        _hand_over(order, gift, user)
    return order.pk


def give_back(order: VoucherOrder) -> None:
    """Give a coupon whose holder's account is deleted back to its buyer, with a new code, if it is unused."""
    with transaction.atomic():
        rows = VoucherOrder.objects.select_for_update(of=("self",)).select_related("user")
        found = rows.get(pk=order.pk)
        if found.status != Status.PAID or found.holder_id is None:
            return
        Gift.objects.filter(order=found).delete()
        found.holder, found.redeem_code = None, redeem_codes.draw_one()
        found.save(update_fields=["holder", "redeem_code"])
        effects.apply([found], Event.GIVEN_BACK)


def _hand_over(order: VoucherOrder, gift: Gift, taker: User) -> None:
    gift.taken_at = timezone.now()
    gift.save(update_fields=["taken_at"])
    order.holder, order.redeem_code = taker, redeem_codes.draw_one()
    order.save(update_fields=["holder", "redeem_code"])
    effects.apply([order], Event.GIVEN)


def _require_recorded(order_id: int, user: User) -> None:
    """Problem 404, 410 order_lost, or 409 not_possible while the order has no row."""
    if isinstance(order_views.require_order(order_id, user), QueuedOrder):
        raise refusals.cannot_be_given(Status.QUEUED)


def _lock_own(order_id: int, user: User) -> VoucherOrder:
    """The row that the person bought and has not given away, locked; Problem 409 given."""
    order = VoucherOrder.objects.select_for_update().get(pk=order_id)
    if order.holder_id is not None:
        raise (refusals.GIVEN_TO_YOU if order.holder_id == user.pk else refusals.GIVEN).problem()
    return order


def _new_link(order: VoucherOrder) -> dict[str, object]:
    now = timezone.now()
    ends = [now + LINK_LIFETIME, *([order.valid_until] if order.valid_until else [])]
    number = secrets.token_urlsafe(NUMBER_BYTES)
    return {"number": number, "created_at": now, "expires_at": min(ends), "taken_at": None}


def _read_number(token: str) -> str:
    try:
        return _SIGNER.unsign(token)
    except signing.BadSignature:
        raise refusals.NO_GIFT.problem() from None


def _require_open(gift: Gift, order: VoucherOrder, viewer_id: int | None) -> None:
    """Problem 410: it is taken or too late, its coupon used or refunded, its giver gone or blocked."""
    is_usable = order.status == Status.PAID and order.holder_id is None and not order.has_lapsed
    is_apart = viewer_id is not None and blocks.are_apart(viewer_id, order.user_id)
    if not (gift.is_open and is_usable and order.user.is_active) or is_apart:
        raise refusals.GIFT_GONE.problem()
