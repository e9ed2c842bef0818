"""The API's document keeps its promise, describes each member, and has an example of each answer.

A made-up change of each kind shows that a break would be noticed.
"""

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import jsonschema_rs
import pytest

from config.api import EXAMPLES_FILE
from config.api_members import MEMBERS
from tests.api_document import read_document
from tests.checks import api_promise
from tests.web.problems.test_api_document import walk

Document = dict[str, Any]
CLAIM, SHOPS, LOGIN = "/api/vouchers/{voucher_id}/seckill", "/api/shops", "/api/auth/login"

SCHEMAS: dict[str, Any] = read_document()["components"]["schemas"]
#: Names that say what they are.
PLAIN = {"id", "items", "name", "nickname", "text", "title", "url", "field", "message"}
#: Ends of names of amounts -> what their descriptions name.
UNITS = {
    "_at": ("UTC", "null", "until", "when", "from then on", "to pay"),
    "_m": ("metres",),
    "_days": ("days",),
    "_in": ("seconds", "whether"),
    "_ms": ("milliseconds", "since 1970"),
    "price": ("smallest unit", "minor units", "points"),
    "lat": ("degrees",),
    "lng": ("degrees",),
    "width": ("pixels",),
    "height": ("pixels",),
}
Json = dict[str, Any]
EXAMPLES: Json = json.loads(EXAMPLES_FILE.read_text())
#: What the document may weigh, with its examples.
MAX_DOCUMENT_BYTES = 480_000


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


def members() -> list[tuple[str, str, str]]:
    """Schema, member and its description."""
    return [
        (schema, name, member.get("description", ""))
        for schema, found in SCHEMAS.items()
        for name, member in found.get("properties", {}).items()
    ]


def test_each_member_says_what_it_is() -> None:
    silent = [f"{schema}.{name}" for schema, name, about in members() if not about and name not in PLAIN]
    assert silent == [], "describe it in its schema, or in config/api_members.py"


def test_each_amount_names_its_unit() -> None:
    without = [
        f"{schema}.{name}: {about}"
        for schema, name, about in members()
        for end, units in UNITS.items()
        if name.endswith(end) and not any(unit in about for unit in units)
    ]
    assert without == []


def test_no_description_is_left_of_a_member_that_is_gone() -> None:
    used = {f"{schema}.{name}" for schema, name, _about in members()} | {
        name for _schema, name, _ in members()
    }
    assert MEMBERS.keys() - used == set()
    assert PLAIN - used - {"field", "message"} == set()


@cache
def document() -> Json:
    """The document, in which a schema allows no member that it doesn't name: an old example has some."""
    found = read_document()
    for schema in walk(found["components"]["schemas"]):
        if schema.get("type") == "object" and "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return found


def answers() -> dict[str, Json]:
    """ "listShops 200" -> the content of each answer with a body."""
    return {
        f"{operation['operationId']} {status}": answer["content"]["application/json"]
        for methods in document()["paths"].values()
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        if "application/json" in answer.get("content", {})
    }


def find_faults(schema: Json, *examples: Any) -> list[str]:
    """What a validator says of examples."""
    whole = schema | {"components": document()["components"]}
    validator = jsonschema_rs.Draft202012Validator(whole)
    return [fault.message for example in examples for fault in validator.iter_errors(example)]


def test_every_answer_with_a_body_has_an_example() -> None:
    assert [name for name, content in answers().items() if "example" not in content] == []


def test_every_example_fits_its_schema() -> None:
    faults = {name: find_faults(one["schema"], one["example"]) for name, one in answers().items()}
    assert {name: found for name, found in faults.items() if found} == {}


def test_every_address_in_an_example_is_whole() -> None:
    texts = [(name, text) for part in walk(EXAMPLES) for name, text in part.items() if isinstance(text, str)]
    paths = {name for name, text in texts if text.startswith("/")}
    assert paths <= {"prove_at"}


def test_an_example_that_fits_no_longer_is_noticed() -> None:
    content = answers()["getStock 200"]
    assert find_faults(content["schema"], content["example"] | {"sold": 3})
    assert find_faults(content["schema"], {"left": "3", "total": 5})


def test_every_example_belongs_to_an_answer() -> None:
    recorded = {f"{name} {status}" for name, found in EXAMPLES.items() for status in found}
    known = {*answers(), *(f"problems {status} {code}" for status, code in refusals())}
    assert recorded <= known


def refusals() -> set[tuple[str, str]]:
    """The status and code of each refusal that the document names."""
    return {
        (str(example["value"]["status"]), code)
        for answer in document()["components"]["responses"].values()
        for code, example in answer["content"]["application/problem+json"]["examples"].items()
    }


def test_every_refusal_fits_the_schema_of_problems() -> None:
    problems = [
        example["value"]
        for answer in document()["components"]["responses"].values()
        for example in answer["content"]["application/problem+json"]["examples"].values()
    ]
    assert find_faults({"$ref": "#/components/schemas/Problem"}, *problems) == []


def test_the_document_stays_small() -> None:
    plain = json.dumps(read_document(), ensure_ascii=False)
    assert len(plain.encode()) < MAX_DOCUMENT_BYTES
