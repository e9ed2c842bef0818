"""Request tokens: a client's name for one request, so that sending it again can't buy twice."""

import uuid
from typing import Any

from django.http import HttpRequest
from ninja import Schema
from ninja.errors import ValidationError as SchemaErrors
from pydantic import ConfigDict, Field, ValidationError

from apps.coupons import refusals
from apps.coupons.claims.entries import REQUEST_TOKEN_PATTERN
from apps.web.problems import parsing, translation

FORM_TYPE = "application/x-www-form-urlencoded"
FORM_TYPES = {FORM_TYPE, "multipart/form-data"}


class ClaimIn(Schema):
    """The body of a claim, as JSON or as a form; it may be left out."""

    model_config = ConfigDict(extra="forbid")

    request_token: str | None = Field(
        default=None, description="as the Idempotency-Key header, for a client that can't set one"
    )
    receipt: str | None = Field(
        default=None,
        description="of an accepted claim whose order is gone: the order comes back, nothing is claimed",
    )


#: What OpenAPI says about the body; a form is the page's own: a generated client would take either type.
BODY_SCHEMA: dict[str, Any] = {
    "required": False,
    "content": {"application/json": {"schema": ClaimIn.model_json_schema()}},
}


def new() -> str:
    """A token for a request that brought none."""
    return uuid.uuid4().hex


def parse_or_new(given: str | None) -> str:
    """The client's token, or a new one for None; Problem 400 when it has other characters than it may."""
    if given is None:
        return new()
    if not REQUEST_TOKEN_PATTERN.fullmatch(given):
        raise refusals.bad_request_token()
    return given


def read_claim(request: HttpRequest, *, header: str | None) -> ClaimIn:
    """The body of a claim, with the token of its `header`, else its own, else a new one.

    Problem 400 for an unreadable body or token, 422 for another member.
    """
    claim = _parse_body(request)
    claim.request_token = parse_or_new(claim.request_token if header is None else header)
    return claim


def _parse_body(request: HttpRequest) -> ClaimIn:
    try:
        return ClaimIn.model_validate(_read_members(request))
    except ValidationError as error:
        errors: list[Any] = [dict(each) | {"loc": ("body", "claim", *each["loc"])} for each in error.errors()]
        raise translation.from_schema_errors(SchemaErrors(errors)) from None


def _read_members(request: HttpRequest) -> Any:
    # Clients generated from a document with two content types send JSON by the name of a form.
    is_json = request.content_type == FORM_TYPE and request.body.lstrip().startswith(b"{")
    if request.content_type in FORM_TYPES and not is_json:
        return request.POST.dict()
    # Of any type: a program that names none to its library sends the text of its JSON as text/plain.
    return parsing.parse_json(request.body) if request.body else {}
