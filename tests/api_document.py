"""The API's OpenAPI document, which takes a second to write, for all tests of a process that read it."""

import json
from functools import cache
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from config.api import api


def read_document() -> dict[str, Any]:
    """Return the document as programs read it: the caller's own copy."""
    document: dict[str, Any] = json.loads(_write_document())
    return document


@cache
def _write_document() -> str:
    return json.dumps(api.get_openapi_schema(), cls=DjangoJSONEncoder)
