"""Programs of the last release go on working; each made-up change shows that a break would be noticed."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.api_document import read_document
from tests.checks import api_promise

Document = dict[str, Any]
CLAIM, SHOPS, LOGIN = "/api/vouchers/{voucher_id}/seckill", "/api/shops", "/api/auth/login"


def read_released() -> Document:
    found: Document = json.loads(api_promise.RELEASED.read_text())
    return found


def test_what_the_last_release_promised_is_kept() -> None:
    found = api_promise.find_breaks(read_released(), api_promise.read_promise(read_document()))
    assert not list(found)


def schemas(document: Document) -> Document:
    found: Document = document["components"]["schemas"]
    return found


def parameter(document: Document, name: str) -> Document:
    found: Document = next(
        one for one in document["paths"][SHOPS]["get"]["parameters"] if one["name"] == name
    )
    return found


BREAKS: dict[str, Callable[[Document], object]] = {
    f"POST {CLAIM} is gone": lambda api: api["paths"].pop(CLAIM),
    f"GET {SHOPS} is called shops, no longer listShops": lambda api: api["paths"][SHOPS]["get"].update(
        operationId="shops"
    ),
    f"POST {CLAIM} takes other log-ins": lambda api: api["paths"][CLAIM]["post"]["security"].pop(),
    f"GET {SHOPS} parameter cursor is gone": lambda api: api["paths"][SHOPS]["get"]["parameters"].remove(
        parameter(api, "cursor")
    ),
    f"GET {SHOPS} needs the parameter city": lambda api: parameter(api, "city").update(required=True),
    f"GET {SHOPS} parameter city has maxLength 10": lambda api: parameter(api, "city")["schema"].update(
        maxLength=10
    ),
    f"POST {LOGIN} body request must be sent": lambda api: schemas(api)["LoginRequest"]["required"].append(
        "request"
    ),
    f"POST {LOGIN} 200 token is gone": lambda api: schemas(api)["LoggedIn"]["properties"].pop("token"),
    f"POST {LOGIN} 200 user may be missing": lambda api: schemas(api)["LoggedIn"]["required"].remove("user"),
    f"POST {LOGIN} 200 token may be null": lambda api: schemas(api)["LoggedIn"]["properties"].update(
        token={"anyOf": [{"type": "string"}, {"type": "null"}]}
    ),
    "GET /api/orders/{order_id} 200 status may be lost": lambda api: schemas(api)["OrderOut"]["properties"][
        "status"
    ]["enum"].append("lost"),
    f"POST {CLAIM} answers 201 no longer": lambda api: api["paths"][CLAIM]["post"]["responses"].pop("201"),
}


@pytest.mark.parametrize("sentence", BREAKS)
def test_a_change_that_breaks_programs_is_named(sentence: str) -> None:
    changed = copy.deepcopy(read_released())
    BREAKS[sentence](changed)
    assert sentence in api_promise.find_breaks(read_released(), changed)


def test_a_change_that_breaks_no_program_is_none() -> None:
    changed = copy.deepcopy(read_released())
    changed["paths"]["/api/new"] = changed["paths"][SHOPS]
    parameter(changed, "city")["schema"]["maxLength"] = 5_000
    changed["paths"][SHOPS]["get"]["parameters"].append(
        {"in": "query", "name": "stars", "schema": {"type": "integer"}}
    )
    schemas(changed)["LoggedIn"]["properties"]["more"] = {"type": "string"}
    schemas(changed)["LoginRequest"]["properties"]["device"] = {"type": "string"}
    assert api_promise.find_breaks(read_released(), changed) == []
