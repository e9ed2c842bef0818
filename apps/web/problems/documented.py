"""Says which problems an endpoint may answer: `openapi_extra=documented.problems({409: ["sold_out"]})`."""

from collections.abc import Mapping, Sequence
from typing import Any

#: For an endpoint that reads a browser's cookie itself, beside what its authentication takes.
COOKIE: dict[str, Any] = {"security": [{"cookie": []}]}
#: Of an operation in the making: the codes of a status, and the members that its problems may have besides.
CODES, MEMBERS = "x-codes", "x-members"


def problems(codes: Mapping[int, Sequence[str]], **members: Any) -> dict[str, Any]:
    """OpenAPI responses: for each status its codes; `members` are further properties of the problems."""
    return {"responses": {status: {CODES: list(found), MEMBERS: members} for status, found in codes.items()}}
