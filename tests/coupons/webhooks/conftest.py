from collections.abc import Callable, Iterator

import pytest
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons.models import Webhook
from apps.coupons.webhooks import endpoints
from apps.outbox import sending
from apps.outbox.models import Message
from apps.shops.models import Shop, ShopMember
from tests import http_double
from tests.factories import ShopMemberFactory
from tests.http_double import Double

MakeWebhook = Callable[..., Webhook]


@pytest.fixture
def owner(shop: Shop, bob: User) -> User:
    """Bob, who owns the shop."""
    ShopMemberFactory.create(shop=shop, user=bob, role=ShopMember.Role.OWNER)
    return bob


@pytest.fixture
def receiver() -> Iterator[Double]:
    """A shop's program."""
    with http_double.serve() as server:
        yield server


@pytest.fixture
def local_addresses(settings: Settings) -> None:
    """Webhooks may go to this machine, as in the demo."""
    settings.DEMO = True


@pytest.fixture
def webhook(shop: Shop, owner: User, receiver: Double, local_addresses: None) -> Webhook:
    """One that hears of everything."""
    return endpoints.register(shop, owner, url=f"{receiver.url}/hook", events=endpoints.EVENTS)


def send_waiting() -> int:
    """Send the deliveries that wait in the outbox, as a worker does."""
    return sending.send(list(Message.objects.waiting().filter(channel="hook").values_list("key", flat=True)))
