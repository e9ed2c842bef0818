"""A program's author has a client generated from the OpenAPI document, and buys a coupon with it."""

import importlib
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlencode

import pytest

from tests import sites
from tests.crowd import site_setup
from tests.faults.management_process import ManagementProcess
from tests.sites import Site

pytestmark = pytest.mark.wide
PHONE, ORDER_SECONDS = "13800000077", 60.0
LIST_SHOPS = "from apps.shops.models import Shop; Shop.objects.update(is_listed=True)"


@pytest.fixture(scope="module")
def running(site: Site) -> Iterator[int]:
    """The voucher's id of a running sale in a listed shop, on a whole site."""
    with ManagementProcess(site.environment) as clerk:
        voucher_id = site_setup.create_sale(clerk, stock=5)
        clerk.run_code(LIST_SHOPS)
    site.start("web", "consumer", "worker")
    yield voucher_id
    site.stop()


@pytest.fixture(scope="module")
def generated(site: Site, running: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of the generated package; the generator has nothing to say about the document."""
    place = tmp_path_factory.mktemp("generated")
    with urllib.request.urlopen(f"{site.base_url}/api/openapi.json") as answer:
        document = place / "openapi.json"
        document.write_bytes(answer.read())
    printed = _generate(document, place / "client")
    assert "warning" not in printed.lower(), printed
    sys.path.insert(0, str(place / "client"))
    yield "savor_client"
    sys.path.remove(str(place / "client"))


def _generate(document: Path, place: Path) -> str:
    programs = Path(sys.executable).parent
    done = subprocess.run(
        [programs / "openapi-python-client", "generate", "--path", document, "--output-path", place],
        env=os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_generated_client_logs_in_grabs_pays_and_reads_its_order(
    site: Site, running: int, generated: str
) -> None:
    def operation(name: str) -> ModuleType:
        return importlib.import_module(f"{generated}.api.{name}")

    models: Any = importlib.import_module(f"{generated}.models")
    clients: Any = importlib.import_module(generated)
    visitor = clients.Client(base_url=site.base_url, raise_on_unexpected_status=True)
    sent = operation("accounts.send_log_in_code").sync(client=visitor, body=models.CodeRequest(phone=PHONE))
    login = models.LoginRequest(phone=PHONE, code=sent.debug_code, request=sent.request)
    token = operation("accounts.log_in").sync(client=visitor, body=login).token
    person = clients.AuthenticatedClient(base_url=site.base_url, token=token, raise_on_unexpected_status=True)

    (shop,) = operation("shops.list_shops").sync(client=visitor).items
    (offer,) = operation("coupons.list_shop_vouchers").sync(shop.id, client=visitor).items
    assert (offer.id, offer.sale.stock_left) == (running, 5)
    claim = operation("coupons.claim_voucher").sync(offer.id, client=person)
    again = operation("coupons.claim_voucher").sync(offer.id, client=person)
    assert (again.code, again.order_id) == ("already_bought", claim.order_id)

    def read_status() -> str:
        return str(operation("coupons.get_order").sync(int(claim.order_id), client=person).status.value)

    sites.wait_until(lambda: read_status() == "unpaid", seconds=ORDER_SECONDS)
    payment = operation("coupons.pay_order").sync(int(claim.order_id), client=person)
    _press_pay(site, payment.pay_url)
    sites.wait_until(lambda: read_status() == "paid", seconds=ORDER_SECONDS)
    (order,) = operation("coupons.list_my_orders").sync(client=person).items
    assert (order.id, len(order.redeem_code), order.shop.id) == (claim.order_id, 12, shop.id)


def _press_pay(site: Site, url: str) -> None:
    """Press "Pay" on the sandbox bank's page, as a buyer's browser does."""
    request = urllib.request.Request(url, urlencode({"press": "pay"}).encode())  # noqa: S310 - the site's own
    request.add_header("Origin", site.base_url)
    with urllib.request.build_opener(_StayHere).open(request) as answer:
        assert answer.status == 302, json.dumps(dict(answer.headers))


class _StayHere(urllib.request.HTTPErrorProcessor):
    """Gives the redirect itself: the page behind it wants the buyer's cookie."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response
