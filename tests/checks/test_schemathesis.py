"""The whole OpenAPI document, fuzzed: no answer is a 500, and schemathesis' checks find nothing.

Two of its checks are left out. Of `positive_data_acceptance`: no schema can say that a cursor, a code or an
undo is forged, that a row is gone, or that a text has only signs no one sees; and 137.0 is not in digits.
Instead of `not_a_server_error` there is check_refusal: a 503 with its code is documented.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS
from schemathesis.core.result import Ok

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.blog import comments
from apps.coupons.models import FlashSale, Voucher
from apps.coupons.orders import lifecycle
from tests.api_document import read_document
from tests.blog import makers
from tests.coupons.conftest import make_sale, sale, shop, voucher
from tests.rounds import choose_rounds

__all__ = ["make_sale", "sale", "shop", "voucher"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.wide]
DOCUMENT = read_document()
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
SCHEMA.app = get_wsgi_application()
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations() if isinstance(found, Ok)}
#: Beside it, those that need more than one answer.
LEFT_OUT = [
    CHECKS.get_one(name)
    for name in (
        "positive_data_acceptance",
        "not_a_server_error",
        "ignored_auth",
        "use_after_free",
        "ensure_resource_availability",
    )
]
#: Takes any body, so that none is excluded: a provider's bytes are judged by their signature.
WITHOUT_RULES = "POST /api/payments/{provider_name}/callback"
#: For each operation by somebody and by nobody, with ids of rows that are there and with any.
EXAMPLES = choose_rounds(3, long=10)
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


@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_nothing_ends_in_a_500(label: str, alice: User, bob: User, sale: FlashSale, voucher: Voucher) -> None:
    cases, known = OPERATIONS[label].as_strategy(), find_known_ids(alice, bob, sale, voucher)
    documented = OPERATIONS[label].definition.raw["responses"]
    allowed = UNDOCUMENTED_STATUSES | {int(status) for status in documented if status != "default"}

    def send(case: Any, ids: dict[str, int], user: User | None) -> None:
        case.path_parameters |= {name: ids[name] for name in case.path_parameters if name in ids}
        answer = case.call(headers=build_headers(user))
        assert check_refusal(answer), (answer.status_code, answer.content)
        assert answer.status_code in allowed, f"{answer.status_code} is not in the document"
        case.validate_response(answer, excluded_checks=LEFT_OUT)

    for number, (user, ids) in enumerate(product((None, alice), ({}, known))):
        fuzz(cases, partial(send, ids=ids, user=user), number=number)


@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_what_the_document_excludes_is_refused(
    label: str, alice: User, bob: User, sale: FlashSale, voucher: Voucher
) -> None:
    operation, known = OPERATIONS[label], find_known_ids(alice, bob, sale, voucher)

    def send(case: Any) -> None:
        case.path_parameters |= {name: known[name] for name in case.path_parameters if name in known}
        answer = case.call_and_validate(headers=build_headers(alice), excluded_checks=LEFT_OUT)
        assert check_refusal(answer), (answer.status_code, answer.content)

    if label != WITHOUT_RULES and (operation.body or operation.query):
        fuzz(operation.as_strategy(generation_mode=GenerationMode.NEGATIVE), send, number=0)


def find_known_ids(alice: User, bob: User, sale: FlashSale, voucher: Voucher) -> dict[str, int]:
    """Values of path parameters that name a row."""
    order = lifecycle.create_order(voucher, user=alice, request_token="t")
    known = {"shop_id": voucher.shop_id, "voucher_id": sale.pk, "order_id": order.pk, "session_id": 1}
    note = makers.note(alice, shop=voucher.shop)
    known |= {"user_id": bob.pk, "note_id": note.pk, "photo_id": note.photos.get().pk}
    return known | {"comment_id": comments.add(note.pk, alice, "Is it loud?").pk}


def build_headers(user: User | None) -> dict[str, str]:
    """The headers of this person, with a new token: the case before may have ended the last one."""
    # A long refusal would come compressed, which this client of WSGI doesn't undo.
    plain = {"Accept-Encoding": "identity"}
    if user is None:
        return plain
    return plain | {"Authorization": f"Bearer {tokens.issue(user, kind=AccessToken.Kind.API)}"}


def fuzz(cases: SearchStrategy[Any], send: Callable[[Any], None], *, number: int) -> None:
    """Send some cases, the same ones for a number in each run."""

    @seed(number)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=cases)
    def run(case: Any) -> None:
        send(case)

    run()


def test_every_operation_is_described() -> None:
    assert len(OPERATIONS) == sum(len(methods) for methods in DOCUMENT["paths"].values())
    for label, operation in OPERATIONS.items():
        said = operation.definition.raw
        assert said.get("summary"), label
        assert said["tags"], label
