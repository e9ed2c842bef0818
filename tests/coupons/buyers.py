"""People who buy through the API and through pages, and the steps a test takes for them."""

from django.test import Client

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import cookies, tokens
from apps.coupons import keys
from apps.coupons.claims import entries, seckill
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.orders import consuming, recording
from apps.redis_kit import client

#: What browsers say of a request that the site's own page sends.
SAME_ORIGIN = {"sec-fetch-site": "same-origin"}


def api_client(user: User) -> Client:
    """A program that calls the API for a person."""
    return Client(headers={"authorization": f"Bearer {_issue_cached_token(user, AccessToken.Kind.API)}"})


def browser_client(user: User) -> Client:
    """A browser in which a person is logged in."""
    opened = Client(headers=SAME_ORIGIN)
    opened.cookies[cookies.TOKEN_COOKIE] = _issue_cached_token(user, AccessToken.Kind.PAGE)
    return opened


def queue_order(sale: FlashSale, user: User) -> int:
    """An accepted order that no consumer has seen; its id."""
    order_id = seckill.claim(sale.pk, user_id=user.pk, request_token=f"of-{user.pk}").order_id
    assert order_id
    return order_id


def create_order(sale: FlashSale, user: User) -> VoucherOrder:
    """An unpaid order."""
    return record_order(sale, queue_order(sale, user))


def record_order(sale: FlashSale, order_id: int) -> VoucherOrder:
    """Record what waits in the sale's stream, as the consumer does; the row of one order."""
    held = keys.for_sale(sale.pk)
    recording.record(entries.iter_waiting_orders(held.orders))
    client.get().delete(held.orders, held.queued)
    return VoucherOrder.objects.get(pk=order_id)


def list_waiting(sale: FlashSale) -> list[dict[str, str]]:
    """The orders in the stream of the sale's partition, each with the fields of an entry of its own."""
    raw = entries.iter_raw_entries(keys.for_sale(sale.pk).orders)
    return [dict(one) for _, fields in raw for one in entries.split(fields)]


def drain_queue() -> None:
    """Whatever waits is handled by a real consumer."""
    consumer = consuming.build_consumer()
    consumer._block = consumer._block / 100
    # The first round of all makes the group and reads nothing yet.
    consumer.round()
    while consumer.round():
        pass
    assert consuming.backlog() == consuming.Backlog()


def block_loading(voucher_id: int) -> None:
    """Keep the background loader away: the test decides when a sale is loaded."""
    mark = keys.LOADING(partition=keys.partition_of(voucher_id), voucher=voucher_id)
    client.get().set(mark, "1", ex=60)


def issue_token_without_copy(user: User, kind: str = AccessToken.Kind.API) -> str:
    """A log-in that only SQL knows."""
    return tokens.issue(user, kind=kind)


def _issue_cached_token(user: User, kind: str) -> str:
    raw = issue_token_without_copy(user, kind)
    # The test's transaction never commits: make the hot copy here.
    tokens.read_through([tokens.digest(raw)])
    return raw
