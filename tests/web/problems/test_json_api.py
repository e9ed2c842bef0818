import json
import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest
from django.test import Client
from ninja.openapi.schema import OpenAPISchema
from redis import Redis

from apps.accounts.models import User
from apps.web.problems import Problem
from config.api import api
from config.wsgi import application
from tests.api_document import read_document
from tests.coupons import buyers

JSON = "application/json"
PROBLEM = "application/problem+json"


def test_an_unknown_api_path_is_a_json_404(client: Client) -> None:
    answer = client.get("/api/no-such-thing")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert answer["Content-Type"] == PROBLEM
    assert answer.json()["code"] == "not_found"


def test_an_unknown_page_is_an_html_404(client: Client) -> None:
    answer = client.get("/no-such-page/")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert answer["Content-Type"].startswith("text/html")


BODIES = {
    "empty": b"",
    "not json": b"{",
    "deep": b"[" * 60_000,
    "long number": b'{"phone": ' + b"9" * 5_000 + b"}",
    "NaN": b'{"phone": NaN}',
    "NUL": b'{"phone": "\\u0000"}',
    "half a character": b'{"phone": "\\ud800"}',
    "not utf-8": b'{"phone": "\xff"}',
    "an array": b"[]",
    "a number": b'{"phone": 7}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_nobody_can_read_is_refused(client: Client, body: bytes) -> None:
    answer = client.post("/api/auth/code", body, content_type=JSON)
    assert answer.status_code in {400, 422}
    assert answer["Content-Type"] == PROBLEM
    assert answer.json()["code"] == "invalid"


def test_a_member_that_nobody_knows_is_refused_by_its_name(client: Client) -> None:
    answer = client.post("/api/auth/code", {"phone": "13800000001", "status": "x"}, content_type=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == ["status"]


def find_bodies() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The method, path and schema of each operation that takes JSON."""
    document = read_document()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {})
            if "$ref" in content.get(JSON, {}).get("schema", {}):
                name = content[JSON]["schema"]["$ref"].rpartition("/")[2]
                yield method, path, document["components"]["schemas"][name]


def test_every_body_names_all_of_its_members() -> None:
    schemas = [schema for _method, _path, schema in find_bodies()]
    assert len(schemas) >= 7
    assert all(schema.get("additionalProperties") is False for schema in schemas)


def test_a_generated_client_has_one_content_type_to_send() -> None:
    operations = [one for methods in read_document()["paths"].values() for one in methods.values()]
    assert not [one for one in operations if len(one.get("requestBody", {}).get("content", {})) > 1]


@pytest.mark.django_db
@pytest.mark.parametrize("sent", [0, 1, "off", "true", "", 1.0, []])
def test_nothing_but_true_and_false_is_a_boolean_of_a_body(manager: User, sent: Any) -> None:
    client, count = buyers.api_client(manager), 0
    for method, path, schema in find_bodies():
        for name, member in schema["properties"].items():
            if "boolean" in {one.get("type") for one in [member, *member.get("anyOf", ())]}:
                address = re.sub(r"{\w+}", "1", path)
                answer = client.generic(method.upper(), address, json.dumps({name: sent}), content_type=JSON)
                assert answer.status_code == 422, (method, path)
                assert name in {error["field"] for error in answer.json()["errors"]}, (method, path)
                count += 1
    assert count > 5


def test_every_refusal_with_422_says_what_is_wrong() -> None:
    assert Problem(422, "own_account", "You can't.").as_dict()["errors"] == [
        {"field": "", "message": "You can't."}
    ]
    assert Problem(422, "too_old", "No.", field="day").as_dict()["errors"] == [
        {"field": "day", "message": "No."}
    ]
    assert "errors" not in Problem(409, "given").as_dict()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("ads?place=shop&note=1", "shop"),
        ("feed?offset=1", "max"),
        ("me/page?sale=a", "sale"),
        ("me/page?rent=1", "rent"),
        ("shops?lat=1", "lat"),
        ("shops?south=1", "south"),
        ("shops?city=nowhere", "city"),
        ("shops?type=none", "type"),
        ("shops?price_from=2&price_to=1", "price_to"),
        ("search?q=a&kind=cars", "kind"),
        ("search?q=a&sort=cars", "sort"),
        ("sign-ins?month=2026", "month"),
    ],
)
def test_a_rule_across_parameters_names_the_one_that_is_wrong(manager: User, query: str, field: str) -> None:
    answer = buyers.api_client(manager).get(f"/api/{query}")
    assert (answer.status_code, [error["field"] for error in answer.json()["errors"]]) == (422, [field])


@pytest.mark.django_db
def test_an_answer_names_the_limits_that_counted_it(guarded_redis: Redis, alice: User, bob: User) -> None:
    client, path = buyers.api_client(alice), f"/api/users/{bob.pk}/follow"
    answers = [client.put(path), client.put(path)]
    for minus, answer in enumerate(answers, start=1):
        assert answer["RateLimit-Policy"] == '"follow.minute";q=60;w=60, "follow.day";q=500;w=86400'
        assert answer["RateLimit"] == f'"follow.minute";r={60 - minus}, "follow.day";r={500 - minus}'
    for _more in range(58):
        client.put(path)
    refused = client.put(path)
    assert refused.status_code == 429
    minute, day = refused["RateLimit"].split(", ")
    assert minute == f'"follow.minute";r=0;t={refused["Retry-After"]}'
    assert day == '"follow.day";r=440'
    assert not client.get("/api/shop-types").has_header("RateLimit")


def test_a_refused_field_is_named_without_what_was_sent(client: Client) -> None:
    answer = client.post("/api/auth/code", json.dumps({"phone": ["secret"]}), content_type=JSON)
    assert answer.json()["errors"][0]["field"] == "phone"
    assert "secret" not in answer.content.decode()


def test_a_body_past_the_limit_is_413(client: Client) -> None:
    for size in (70_000, 20_000_000):
        answer = client.post("/api/auth/code", b"x" * size, content_type=JSON)
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "BREW", "GET\x00"])
def test_a_method_nobody_has_is_405(client: Client, method: str) -> None:
    for path, allowed in (("/api/auth/code", "POST"), ("/api/docs", "GET, HEAD"), ("/", "GET, HEAD, POST")):
        answer = client.generic(method, path)
        assert (answer.status_code, answer["Allow"]) == (405, allowed)


def test_another_method_of_a_path_is_a_json_405(client: Client) -> None:
    answer = client.delete("/api/auth/code")
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer["Allow"] == "POST"


# The handler closes what an earlier test of the process has left open: that is access to the database too.
@pytest.mark.django_db
@pytest.mark.parametrize("encoding", ["hex", "rot13", "utf-7", "utf-16", "no-such", '"utf-7"'])
def test_an_encoding_that_is_not_utf8_is_415(encoding: str) -> None:
    # Through the WSGI callable: Django's test client builds the request by another way.
    environ: dict[str, Any] = {"HTTP_HOST": "localhost", "CONTENT_TYPE": f"{JSON}; charset={encoding}"}
    environ |= {"REQUEST_METHOD": "POST", "PATH_INFO": "/api/auth/code", "QUERY_STRING": "q=1"}
    setup_testing_defaults(environ)
    answers: list[str] = []
    body = b"".join(application(environ, lambda status, _headers: answers.append(status)))
    assert answers == ["415 Unsupported Media Type"]
    assert json.loads(body)["code"] == "unsupported_encoding"


@pytest.mark.parametrize("path", ["/%00", "/?q=%00", "/api/%00", "/api/shops?q=%00"])
def test_a_nul_in_the_address_is_400(client: Client, path: str) -> None:
    assert client.get(path).status_code == HTTPStatus.BAD_REQUEST


def test_a_nul_in_a_quoted_cookie_is_400(client: Client) -> None:
    answer = client.get("/api/me", headers={"cookie": 'sessionid="\\000aaaaaaaaaaaa"'})
    assert answer.status_code == HTTPStatus.BAD_REQUEST


def test_a_foreign_host_is_400(client: Client) -> None:
    answer = client.get("/api/no-such-thing", headers={"host": "evil.example"})
    assert answer.status_code == HTTPStatus.BAD_REQUEST


def test_ten_thousand_cookies_change_nothing(client: Client) -> None:
    cookies = "; ".join(f"c{number}=1" for number in range(10_000))
    assert client.get("/api/no-such-thing", headers={"cookie": cookies}).status_code == 404


def test_a_thousand_and_one_fields_are_400(client: Client) -> None:
    fields = {f"f{number}": "1" for number in range(1_001)}
    assert client.post("/login/", fields).status_code == HTTPStatus.BAD_REQUEST


def test_a_body_without_its_length_is_411(client: Client) -> None:
    answer = client.generic("POST", "/api/auth/code", HTTP_TRANSFER_ENCODING="chunked")
    assert (answer.status_code, answer.json()["code"]) == (411, "length_required")


def test_a_missing_body_is_named(client: Client) -> None:
    answer = client.post("/api/auth/code", b"", content_type=JSON)
    assert answer.json()["errors"] == [{"field": "body", "message": "Field required"}]


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/api/shops?type=?!", {"type"}),
        ("/api/rankings?type=?!", {"type"}),
        ("/api/shops?lat=x&size=0&sort=worst", {"lat", "size", "sort"}),
        ("/api/shops/x", {"shop_id"}),
    ],
)
def test_a_field_is_named_as_the_caller_sent_it(client: Client, path: str, fields: set[str]) -> None:
    """Of a query's model, and of a value that may be of several kinds, too."""
    answer = client.get(path)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert {error["field"] for error in answer.json()["errors"]} == fields


@pytest.mark.parametrize(
    "kind", ["text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "text/json"]
)
def test_an_address_for_json_takes_nothing_else(client: Client, kind: str) -> None:
    answer = client.post("/api/auth/code", b'{"phone": "13800000001"}', content_type=kind)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.a+json"]
)
def test_json_may_be_spelled_in_every_usual_way(client: Client, kind: str) -> None:
    body = b'{"phone": "13800000001", "code": "000000"}'
    assert client.post("/api/auth/login", body, content_type=kind).json()["code"] == "wrong_code"


def test_every_operation_documents_what_the_middleware_answers() -> None:
    document = read_document()
    operations, shared = document["paths"], document["components"]["responses"]
    code = operations["/api/auth/code"]["post"]["responses"]
    assert set(code) >= {"202", "400", "403", "413", "415", "422", "429", "503"}
    busy = shared[code["503"]["$ref"].rpartition("/")[2]]["content"][PROBLEM]
    assert list(busy["examples"]) == ["busy", "not_sent", "maintenance"]
    assert busy["schema"] == {"$ref": "#/components/schemas/Problem"}
    assert "order_id" in document["components"]["schemas"]["Problem"]["properties"]
    assert set(operations["/api/me"]["get"]["responses"]) == {"200", "400", "401", "403", "422", "503"}


def test_no_two_operations_and_no_two_schemas_share_a_name() -> None:
    given: dict[str, str] = {}

    class Checked(OpenAPISchema):
        def add_schema_definitions(self, definitions: dict[str, Any]) -> None:
            for name, definition in definitions.items():
                text = json.dumps(definition, default=str)
                assert given.setdefault(name, text) == text, f"two schemas are called {name}"
            super().add_schema_definitions(definitions)

    document = Checked(api, "")
    operations = [each for methods in document["paths"].values() for each in methods.values()]
    for name in ("operationId", "summary"):
        names = [each[name] for each in operations]
        assert len(set(names)) == len(names)
