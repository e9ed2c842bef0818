"""Documents an endpoint's problems in OpenAPI: `openapi_extra=documented.problems({409: ["sold_out"]})`."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

_STRING_SCHEMA = {"type": "string"}


def problems(codes: Mapping[int, Sequence[str]], **members: Any) -> dict[str, Any]:
    """OpenAPI responses: for each status its codes with examples; `members` are more properties."""
    return {"responses": {status: _response(status, found, members) for status, found in codes.items()}}


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
        "content": {"application/problem+json": {"schema": schema, "examples": examples}},
    }
    return answer | ({"headers": {"Retry-After": _RETRY_AFTER_HEADER}} if status in {429, 503} else {})


_RETRY_AFTER_HEADER = {"description": "seconds", "schema": {"type": "integer", "minimum": 1}}


def _example(status: int, code: str) -> dict[str, Any]:
    title = HTTPStatus(status).phrase
    return {"type": "about:blank", "title": title, "status": status, "detail": title, "code": code}
