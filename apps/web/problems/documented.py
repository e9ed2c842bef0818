"""Documents an endpoint's problems in OpenAPI: `openapi_extra=documented.problems({409: ["sold_out"]})`."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

_STRING_SCHEMA = {"type": "string"}
_PROBLEM_TYPE = "application/problem+json"
_SAFE_METHODS = {"get", "head", "options"}
#: What the middleware, the parser and absent stores may answer to any request, ...
_ALWAYS = {400: ["invalid"], 503: ["busy", "maintenance"]}
#: ... to one with parameters or a body that are not as the document says, and to one that changes something.
_WITH_VALUES = {422: ["invalid"]}
_UNSAFE = {
    403: ["cross_origin"],
    411: ["length_required"],
    413: ["too_large"],
    415: ["unsupported_encoding", "unsupported_media_type"],
}
Operation = dict[str, Any]


def problems(codes: Mapping[int, Sequence[str]], **members: Any) -> dict[str, Any]:
    """OpenAPI responses: for each status its codes with examples; `members` are more properties."""
    return {"responses": {status: _response(status, found, members) for status, found in codes.items()}}


def add_common_problems(document: dict[str, Any]) -> None:
    """Add to each operation of an OpenAPI document the problems that no endpoint raises itself."""
    for operations in document["paths"].values():
        for method, operation in operations.items():
            for status, codes in _common_problems(method, operation).items():
                _add_codes(operation["responses"], status, codes)


def _common_problems(method: str, operation: Operation) -> dict[int, list[str]]:
    with_values = _WITH_VALUES if operation.get("parameters") or "requestBody" in operation else {}
    return _ALWAYS | with_values | ({} if method in _SAFE_METHODS else _UNSAFE)


def _add_codes(responses: dict[Any, Any], status: int, codes: Sequence[str]) -> None:
    """Document the codes of a status beside those that its endpoint has documented."""
    written = responses.get(status)
    content = written["content"][_PROBLEM_TYPE]["schema"]["properties"] if written else {}
    known = content["code"]["enum"] if content else []
    own = {name: about for name, about in content.items() if name not in _MEMBERS}
    responses[status] = _response(status, list(dict.fromkeys([*known, *codes])), own)


def _response(status: int, codes: Sequence[str], members: Mapping[str, Any]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "title": "Problem",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": _STRING_SCHEMA,
            "title": _STRING_SCHEMA,
            "status": {"type": "integer", "const": status},
            "detail": _STRING_SCHEMA,
            "code": {"type": "string", "enum": list(codes)},
            **members,
        },
    }
    examples = {code: {"value": _example(status, code)} for code in codes}
    answer = {
        "description": f"{HTTPStatus(status).phrase}: {', '.join(codes)}",
        "content": {_PROBLEM_TYPE: {"schema": schema, "examples": examples}},
    }
    return answer | ({"headers": {"Retry-After": _RETRY_AFTER_HEADER}} if status in {429, 503} else {})


#: Of every problem; an endpoint may have more.
_MEMBERS = frozenset({"type", "title", "status", "detail", "code"})
_RETRY_AFTER_HEADER = {"description": "seconds", "schema": {"type": "integer", "minimum": 1}}


def _example(status: int, code: str) -> dict[str, Any]:
    title = HTTPStatus(status).phrase
    return {"type": "about:blank", "title": title, "status": status, "detail": title, "code": code}
