"""People who buy through the API and through pages, and the steps a test takes for them."""

from django.test import Client

from apps.accounts import cookies, tokens
from apps.accounts.models import AccessToken, User
from apps.coupons import consuming, keys, recording, seckill, stream
from apps.coupons.models import FlashSale, VoucherOrder
from apps.redis_kit import client, streams


def api(user: User) -> Client:
    """A program that calls the API for a person."""
    return Client(headers={"authorization": f"Bearer {_token(user, AccessToken.Kind.API)}"})


def browser(user: User, *, csrf: bool = False) -> Client:
    """A browser in which a person is logged in; `csrf` makes it as strict as a real one."""
    opened = Client(enforce_csrf_checks=csrf)
    opened.cookies[cookies.TOKEN_COOKIE] = _token(user, AccessToken.Kind.PAGE)
    return opened


def queued(sale: FlashSale, user: User) -> int:
    """An accepted order that no consumer has seen; its id."""
    order_id = seckill.claim(sale.pk, user_id=user.pk, request_token=f"of-{user.pk}").order_id
    assert order_id
    return order_id


def ordered(sale: FlashSale, user: User) -> VoucherOrder:
    """An unpaid order."""
    return recorded(sale, queued(sale, user))


def recorded(sale: FlashSale, order_id: int) -> VoucherOrder:
    """Record what waits in the sale's stream, as the consumer does; the row of one order."""
    held = keys.of_sale(sale.pk)
    recording.record(stream.waiting(held.orders))
    client.get().delete(held.orders, held.queued)
    return VoucherOrder.objects.get(pk=order_id)


def drained() -> None:
    """Whatever waits is handled by a real consumer."""
    consumer = consuming.consumer()
    consumer._block = consumer._block / 100
    # The first round of all makes the group and reads nothing yet.
    consumer.round()
    while consumer.round():
        pass
    assert consuming.backlog() == streams.Backlog()


def not_loading(voucher_id: int) -> None:
    """Keep the background loader away: the test decides when a sale is loaded."""
    mark = keys.LOADING(partition=keys.partition_of(voucher_id), voucher=voucher_id)
    client.get().set(mark, "1", ex=60)


def token_without_copy(user: User, kind: str = AccessToken.Kind.API) -> str:
    """A log-in that only SQL knows."""
    return tokens.issue(user, kind=kind)


def _token(user: User, kind: str) -> str:
    raw = token_without_copy(user, kind)
    # The test's transaction never commits: make the hot copy here.
    tokens.read_through(tokens.digest(raw))
    return raw
