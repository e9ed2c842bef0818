"""Completes the OpenAPI document that ninja makes: problems, security and examples, each written once.

Ninja writes a list where a parameter's `examples` must be a map, names classes as security schemes, and knows
no problem that middleware or the parser answers.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from apps.web.problems.deprecation import DOCUMENTATION_URL, KEY, Deprecated
from apps.web.problems.documented import CODES, MEMBERS

_JSON_TYPE, _PROBLEM_TYPE = "application/json", "application/problem+json"
_SCHEMA_REFERENCE = re.compile(r'"#/components/schemas/([^"]+)"')
_SAFE_METHODS = {"get", "head", "options"}
#: What the middleware, the parser and absent stores may answer to any request, ...
_ALWAYS = {400: ["invalid"], 422: ["invalid"], 503: ["busy", "maintenance"]}
#: ... and to one that changes something.
_UNSAFE = {
    403: ["cross_origin"],
    411: ["length_required"],
    413: ["too_large"],
    415: ["unsupported_encoding", "unsupported_media_type"],
}
#: ... and to one with a cursor.
_PAGED = {422: ["invalid", "bad_cursor"]}
Operation = dict[str, Any]
Document = dict[str, Any]
#: Operation id or "409 sold_out" -> status -> an answer's body.
Examples = Mapping[str, Any]


@dataclass(frozen=True)
class Security:
    """The schemes by name; which of them an endpoint accepts, by its class of authentication.

    `scopes` are what a program's token needs, by the class too: "" for "read" or "write" by the method. A
    class without one takes no such token.
    """

    schemes: Mapping[str, Any]
    accepted: Mapping[str, Sequence[Mapping[str, list[str]]]]
    scopes: Mapping[str, str]


def complete(
    document: Document, *, security: Security, examples: Examples, members: Mapping[str, str]
) -> None:
    """Make a document of ninja whole; `members` describes properties by "name" or "Schema.name"."""
    shared = _SharedRefusals(examples.get("problems", {}))
    for method, operation in _operations(document):
        for parameter in operation.get("parameters", ()):
            _complete_parameter(parameter)
        _share_body_schema(operation, document["components"]["schemas"])
        common = _ALWAYS | ({} if method in _SAFE_METHODS else _UNSAFE)
        if any(parameter["name"] == "cursor" for parameter in operation.get("parameters", ())):
            common |= _PAGED
        if any(name in security.accepted for entry in operation.get("security", []) for name in entry):
            common = _describe_scope(method, operation, security.scopes, common)
        _complete_security(operation, security.accepted)
        _complete_responses(operation, common, shared)
        _mark_deprecated(operation, document["components"]["schemas"])
        _add_examples(operation["responses"], examples.get(operation["operationId"], {}))
    components = document["components"]
    components["securitySchemes"] = dict(security.schemes)
    components["responses"] = dict(sorted(shared.responses.items()))
    components["schemas"]["Problem"] = shared.build_schema()
    components["schemas"] = dict(sorted(_used_schemas(document).items()))
    for name, schema in components["schemas"].items():
        _describe_members(name, schema, members)


def _used_schemas(document: Document) -> dict[str, Any]:
    """Return the schemas that something refers to: models of query parameters became single parameters."""
    schemas, found = document["components"]["schemas"], set[str]()
    waiting = _references([document["paths"], document["components"]["responses"]])
    while waiting:
        found |= waiting
        waiting = _references([schemas[name] for name in waiting]) - found
    return {name: schemas[name] for name in found}


def _describe_members(schema_name: str, schema: dict[str, Any], members: Mapping[str, str]) -> None:
    """Give each property that has no description the one of its name, if there is one."""
    for name, member in schema.get("properties", {}).items():
        found = members.get(f"{schema_name}.{name}") or members.get(name)
        if found and "description" not in member:
            member["description"] = found


def _references(part: Any) -> set[str]:
    """Return the names of the schemas that a part of a document refers to."""
    return set(_SCHEMA_REFERENCE.findall(json.dumps(part, default=str)))


def _operations(document: Document) -> Iterator[tuple[str, Operation]]:
    for operations in document["paths"].values():
        yield from operations.items()


def _complete_parameter(parameter: dict[str, Any]) -> None:
    """Give a parameter its description and its first example; its schema keeps all examples."""
    if parameter["name"] in _PARAMETERS:
        parameter.setdefault("description", _PARAMETERS[parameter["name"]])
    listed = parameter.pop("examples", None)
    if listed:
        parameter["example"] = listed[0]
    schema = parameter["schema"]
    if parameter["name"] == "size" and "anyOf" in schema:
        parameter["description"] += "; all of them without it"
    for name in ("description", "title"):
        schema.pop(name, None)


def _share_body_schema(operation: Operation, schemas: dict[str, Any]) -> None:
    """Move a body's schema that an endpoint has written out to the components: clients make it one class."""
    body = operation.get("requestBody", {"content": {}})
    contents = {}
    for kind, content in body["content"].items():
        schema = content["schema"]
        if "title" in schema and kind != "multipart/form-data":
            schemas[schema["title"]] = schema
            schema = {"$ref": f"#/components/schemas/{schema['title']}"}
        contents[kind] = content | {"schema": schema}
    if contents:
        operation["requestBody"] = body | {"content": contents}


def _complete_security(
    operation: Operation, accepted: Mapping[str, Sequence[Mapping[str, list[str]]]]
) -> None:
    """Say for each operation what it accepts; nothing is required of an empty list."""
    written = operation.get("security", [])
    operation["security"] = [one for entry in written for one in accepted.get(next(iter(entry), ""), [entry])]


def _describe_scope(
    method: str, operation: Operation, scopes: Mapping[str, str], common: Mapping[int, list[str]]
) -> dict[int, list[str]]:
    """Say what a program's token needs; returns the common refusals with that for want of it."""
    kind = next(name for entry in operation["security"] for name in entry)
    scope = scopes.get(kind)
    if scope is None:
        sentence, code = "For a log-in: a program's token can't do it.", "log_in_required"
    else:
        scope = scope or ("read" if method in _SAFE_METHODS else "write")
        sentence, code = f"Scope of a program's token: `{scope}`.", "missing_scope"
    operation["description"] = "\n\n".join(filter(None, [operation.get("description", ""), sentence]))
    return {**common, 403: [code, *common.get(403, [])]}


def _complete_responses(
    operation: Operation, common: Mapping[int, list[str]], shared: "_SharedRefusals"
) -> None:
    written = {int(status): response for status, response in operation["responses"].items()}
    answers = {str(status): response for status, response in written.items() if CODES not in response}
    for status in sorted({*written, *common} - {int(status) for status in answers}):
        own = written.get(status, {CODES: [], MEMBERS: {}})
        codes = list(dict.fromkeys([*own[CODES], *common.get(status, [])]))
        answers[str(status)] = shared.reference(status, codes, own[MEMBERS])
    operation["responses"] = answers


def _mark_deprecated(operation: Operation, schemas: dict[str, Any]) -> None:
    """Mark what an endpoint has named to `deprecates`, and document the headers of answers to it."""
    found: Deprecated | None = operation.pop(KEY, None)
    if found is None:
        return
    answer = operation["responses"]["200"]
    answer["headers"] = answer.get("headers", {}) | _DEPRECATION_HEADERS
    members: list[Any] = []
    for name in _references(answer["content"]):
        members += [schemas[name].get("properties", {}).get(member, {}) for member in found.members]
    parameters = [one for one in operation.get("parameters", ()) if one["name"] in found.parameters]
    for part in (*parameters, *filter(None, members)):
        part["deprecated"] = True
        part["description"] = "; ".join(filter(None, [part.get("description", ""), found.sentence]))


def _add_examples(responses: dict[str, Any], examples: Mapping[str, Any]) -> None:
    for status, body in examples.items():
        content = responses.get(status, {}).get("content", {}).get(_JSON_TYPE)
        if content:
            content["example"] = body


class _SharedRefusals:
    """The responses that operations refer to: one for each status with its codes, all of one schema."""

    def __init__(self, examples: Examples) -> None:
        self.responses: dict[str, Any] = {}
        self._examples = examples
        self._members: dict[str, Any] = {}
        self._codes: set[str] = set()

    def reference(self, status: int, codes: Sequence[str], members: Mapping[str, Any]) -> dict[str, str]:
        """The reference to a response, which is made when it is the first of its kind."""
        self._members |= members
        self._codes |= set(codes)
        name = "_".join([HTTPStatus(status).phrase.replace(" ", ""), *codes])
        self.responses.setdefault(name, self._build_response(status, codes))
        return {"$ref": f"#/components/responses/{name}"}

    def build_schema(self) -> dict[str, Any]:
        """The schema of every problem; new codes may come at any time, so they are no closed list."""
        text = {"type": "string"}
        return {
            "type": "object",
            "title": "Problem",
            "description": "Why a request was refused (RFC 9457). Programs read `code`, people `detail`.",
            "required": ["type", "title", "status", "detail", "code"],
            "properties": {
                "type": text | {"description": "always about:blank"},
                "title": text | {"description": "the status in words"},
                "status": {"type": "integer", "description": "the status of the answer"},
                "detail": text | {"description": "a sentence for people, in the language of the request"},
                "code": text
                | {
                    "description": "stable; each operation names its own, and further ones may come",
                    "x-extensible-enum": sorted(self._codes),
                },
                "errors": {
                    "type": "array",
                    "description": "with 422: what is wrong, field by field",
                    "items": _FIELD_ERROR,
                },
                "scope": {"type": "string", "description": "with missing_scope: what the token would need"},
                "prove_at": {
                    "type": "string",
                    "description": "when a second factor is required: the path that takes or makes a code",
                },
                "reason": {"type": "string", "description": "with suspended: why"},
                "until": {
                    "type": ["string", "null"],
                    "format": "date-time",
                    "description": "UTC, with suspended and maintenance: when it ends; null without an end",
                },
                **self._members,
            },
        }

    def _build_response(self, status: int, codes: Sequence[str]) -> dict[str, Any]:
        examples = {code: {"value": self._find_example(status, code)} for code in codes}
        answer = {
            "description": f"{HTTPStatus(status).phrase}: {', '.join(codes)}",
            "content": {
                _PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": examples}
            },
        }
        headers = {"Retry-After": _RETRY_AFTER_HEADER} if status in {429, 503} else {}
        headers |= _RATE_LIMIT_HEADERS if status == HTTPStatus.TOO_MANY_REQUESTS else {}
        return answer | ({"headers": headers} if headers else {})

    def _find_example(self, status: int, code: str) -> dict[str, Any]:
        title = HTTPStatus(status).phrase
        plain = {"type": "about:blank", "title": title, "status": status, "detail": title, "code": code}
        recorded: dict[str, Any] = self._examples.get(f"{status} {code}", plain)
        return recorded


#: Parameters that mean the same everywhere: ninja drops the description of an argument's annotation.
_PARAMETERS = {
    "cursor": "`next` of the page before; left out for the first page",
    "size": "at most so many items",
    "all_languages": "adds `texts`: the texts of both languages",
    "lat": "degrees, WGS 84",
    "lng": "degrees, WGS 84",
    "city": "its `slug`, as `GET /api/cities/here` answers it",
    "dish": "id of a dish: only the notes that recommend it",
    "month": "yyyy-mm; the present one without it",
}
_DEPRECATION_HEADERS = {
    "Deprecation": {
        "description": "with what is deprecated: `@` and since when, in seconds since 1970 (RFC 9745)",
        "schema": {"type": "string"},
    },
    "Link": {
        "description": f'with Deprecation: `<{DOCUMENTATION_URL}>; rel="deprecation"`, how to move',
        "schema": {"type": "string"},
    },
}
_FIELD_ERROR = {
    "type": "object",
    "title": "FieldError",
    "required": ["field", "message"],
    "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
}
_RATE_LIMIT_HEADERS = {
    "RateLimit-Policy": {
        "description": "each limit that counted the request: `q` requests in `w` seconds",
        "schema": {"type": "string"},
    },
    "RateLimit": {
        "description": "of each of them: `r` requests are left; `t` seconds to wait",
        "schema": {"type": "string"},
    },
}
_RETRY_AFTER_HEADER = {
    "description": "seconds to wait before the next try",
    "schema": {"type": "integer", "minimum": 1},
}
