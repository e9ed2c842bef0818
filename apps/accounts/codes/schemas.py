"""Phones and codes in the JSON API: their types, and the answer to a code that was sent."""

from typing import Annotated

from django.conf import settings
from ninja import Schema
from pydantic import Field

from apps.accounts import phones
from apps.web.problems import Problem

Phone = Annotated[str, Field(max_length=64, examples=["13800138000"])]
Code = Annotated[str, Field(max_length=64, examples=["012345"])]


class CodeSent(Schema):
    expires_in: int = Field(description="seconds")
    debug_code: str | None = Field(None, description="the code itself, only with DEMO=1")


class LogInCodeSent(CodeSent):
    request: str = Field(description="send it back with the code: then nobody else's guesses count for it")


def code_sent(code: str) -> CodeSent:
    """The answer to a code that was sent."""
    seconds = int(settings.LOGIN_CODE_TTL.total_seconds())
    return CodeSent(expires_in=seconds, debug_code=code if settings.DEMO else None)


def parse_phone(text: str) -> str:
    """The phone in E.164; raises Problem 422 bad_phone."""
    try:
        return phones.parse(text)
    except phones.BadPhone as error:
        raise Problem(422, "bad_phone", str(error)) from None
