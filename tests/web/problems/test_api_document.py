"""What programs that read the OpenAPI document rely on; `make lint` has a validator look at all of it."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.test import Client

from tests.api_document import read_document

METHODS = {"get", "put", "post", "patch", "delete"}
#: What annotated-types call bounds; JSON schema has other words.
FOREIGN_BOUNDS = {"ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length"}


@cache
def document() -> dict[str, Any]:
    """The document as programs read it."""
    return read_document()


def operations() -> list[dict[str, Any]]:
    return [each for methods in document()["paths"].values() for each in methods.values()]


def walk(part: Any) -> Iterator[dict[str, Any]]:
    """Every object in a part of a document."""
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    for inner in part if isinstance(part, list) else ():
        yield from walk(inner)


def test_every_operation_has_a_name_of_its_own_words() -> None:
    names = [operation["operationId"] for operation in operations()]
    assert [name for name in names if not re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", name)] == []
    assert {"claimVoucher", "listShops", "payOrder"} <= set(names)


def test_every_tag_of_an_operation_is_declared_with_a_sentence() -> None:
    declared = {tag["name"]: tag["description"] for tag in document()["tags"]}
    assert all(declared.values())
    assert {tag for operation in operations() for tag in operation["tags"]} == set(declared)


def test_every_operation_says_what_it_does_and_which_log_in_it_takes() -> None:
    schemes = document()["components"]["securitySchemes"].keys()
    for operation in operations():
        # Without words of its own, Django Ninja takes the function's name in capitals.
        assert operation["summary"]
        assert not operation["summary"].istitle(), operation["summary"]
        assert operation["description"], operation["operationId"]
        assert {name for one in operation["security"] for name in one} <= schemes
    accepted = {one["operationId"]: [list(entry) for entry in one["security"]] for one in operations()}
    assert accepted["listShops"] == []
    assert accepted["getNote"] == [[], ["bearer"]]
    assert accepted["claimVoucher"] == [["bearer"], ["cookie"]]
    assert accepted["listMyOrders"] == accepted["getVisits"] == [["bearer"]]
    assert accepted["suggest"] == [[], ["bearer"], ["cookie"]]


def test_bounds_are_in_the_words_of_json_schema() -> None:
    assert [part for part in walk(document()) if FOREIGN_BOUNDS & part.keys() and "type" in part] == []
    by_name = {
        parameter["name"]: parameter
        for parameter in document()["paths"]["/api/shops/{shop_id}"]["get"]["parameters"]
    }
    assert by_name["shop_id"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}


def test_a_default_is_within_its_own_bounds() -> None:
    texts = [part for part in walk(document()) if isinstance(part.get("default"), str)]
    assert texts
    assert [part for part in texts if len(part["default"]) < part.get("minLength", 0)] == []


def test_problems_have_one_schema_and_shared_answers() -> None:
    responses = document()["components"]["responses"]
    schemas = Counter(
        json.dumps(response["content"]["application/problem+json"]["schema"])
        for response in responses.values()
    )
    assert list(schemas) == ['{"$ref": "#/components/schemas/Problem"}']
    codes = document()["components"]["schemas"]["Problem"]["properties"]["code"]["x-extensible-enum"]
    assert {"sold_out", "already_bought", "order_lost", "invalid"} <= set(codes)


def test_every_component_is_used() -> None:
    text = json.dumps(document())
    for kind in ("schemas", "responses"):
        names = document()["components"][kind]
        assert [name for name in names if f'"#/components/{kind}/{name}"' not in text] == []


def test_the_document_is_small_and_compressed_and_not_sent_twice(client: Client) -> None:
    first = client.get("/api/openapi.json", headers={"accept-encoding": "gzip"})
    assert (first.status_code, first["Content-Encoding"]) == (200, "gzip")
    assert len(first.content) < 80_000
    again = client.get("/api/openapi.json", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/api/openapi.json").json()["info"]["license"]["identifier"] == "MIT"


@pytest.mark.parametrize(
    "path",
    [
        "/api/shop-types?sise=2&sise=3",
        "/api/shops?sized=2",
        "/api/me/page?shops=1",
        "/api/live?sale=1",
        "/api/vouchers/1/stock?a",
    ],
)
def test_a_parameter_that_no_operation_has_is_refused_by_its_name(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [re.split("[?&=]", path)[1]]


def test_many_unknown_parameters_are_named_shortly(client: Client) -> None:
    answer = client.post("/api/auth/code?" + "&".join(f"{'x' * 60}{number}=1" for number in range(50)))
    assert answer.status_code == 422
    assert [len(error["field"]) for error in answer.json()["errors"]] == [50] * 10
