"""Every answer of the API with a body has an example in the document, which fits its schema as it is now."""

import json
from functools import cache
from typing import Any

import jsonschema_rs

from config.api import EXAMPLES_FILE
from tests.api_document import read_document
from tests.web.problems.test_api_document import walk

Json = dict[str, Any]
EXAMPLES: Json = json.loads(EXAMPLES_FILE.read_text())
#: What the document may weigh, with its examples.
MAX_DOCUMENT_BYTES = 480_000


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
