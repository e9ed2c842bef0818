"""The whole OpenAPI document, fuzzed: nothing that anybody sends is answered with a 500."""

import json
from typing import Any

import pytest
import schemathesis
from django.core.serializers.json import DjangoJSONEncoder
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.blog import comments
from apps.coupons.models import FlashSale, Voucher
from apps.coupons.orders import lifecycle
from config.api import api
from tests.blog import makers
from tests.coupons.conftest import make_sale, sale, shop, voucher

__all__ = ["make_sale", "sale", "shop", "voucher"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.wide]
DOCUMENT = json.loads(json.dumps(api.get_openapi_schema(), cls=DjangoJSONEncoder))
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
SCHEMA.app = get_wsgi_application()
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations() if isinstance(found, Ok)}
#: Enough to meet each parameter's odd values; all operations together take about a minute.
EXAMPLES = 20
#: Of methods that the document doesn't have; all others are documented.
UNDOCUMENTED_STATUSES = {405}


def check_refusal(answer: Any) -> bool:
    """No 500; every refusal is a problem with a code, and a 503 says when to come back."""
    if answer.status_code < 400:
        return True
    body = answer.json()
    is_problem = answer.headers["content-type"][0].startswith("application/problem+json")
    waits = answer.status_code != 503 or "retry-after" in answer.headers
    return answer.status_code not in range(500, 503) and is_problem and bool(body["code"]) and waits


@pytest.mark.parametrize("logged_in", [True, False], ids=["logged in", "nobody"])
@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_nothing_ends_in_a_500(
    label: str, logged_in: bool, alice: User, bob: User, sale: FlashSale, voucher: Voucher
) -> None:
    order = lifecycle.create_order(voucher, user=alice, request_token="t")
    ours = {"shop_id": voucher.shop_id, "voucher_id": sale.pk, "order_id": order.pk, "session_id": 1}
    said = {int(status) for status in OPERATIONS[label].definition.raw["responses"] if status != "default"}
    note = makers.note(alice, shop=voucher.shop)
    ours |= {"user_id": bob.pk, "note_id": note.pk, "photo_id": note.photos.get().pk}
    ours["comment_id"] = comments.add(note.pk, alice, "Is it loud?").pk

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=OPERATIONS[label].as_strategy(), known=st.booleans())
    def fuzz(case: Any, known: bool) -> None:
        if known:
            case.path_parameters |= {name: ours[name] for name in case.path_parameters if name in ours}
        raw = tokens.issue(alice, kind=AccessToken.Kind.API)
        # A long refusal would come compressed, which this client of WSGI doesn't undo.
        headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {raw}"} if logged_in else {})
        answer = case.call(headers=headers)
        assert check_refusal(answer), (answer.status_code, answer.content)
        assert answer.status_code in UNDOCUMENTED_STATUSES | said, (
            f"{answer.status_code} is not in the document"
        )

    fuzz()


def test_every_operation_is_described() -> None:
    assert len(OPERATIONS) == sum(len(methods) for methods in DOCUMENT["paths"].values())
    for label, operation in OPERATIONS.items():
        said = operation.definition.raw
        assert said.get("summary"), label
        assert said["tags"], label
