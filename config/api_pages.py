"""The OpenAPI document, made once a process, and the page that shows it."""

import gzip
import json
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import condition, require_safe
from ninja.responses import NinjaJSONEncoder

from apps.front.encoding import accepts_gzip
from config.api import api

#: A new release reaches programs within five minutes; until then they ask nothing.
CACHE_CONTROL = "public, max-age=300"


class _Document(NamedTuple):
    """The document in both forms, and its ETag: weak, as both forms share it."""

    plain: bytes
    compressed: bytes
    etag: str


@cache
def _build() -> _Document:
    plain = json.dumps(api.get_openapi_schema(), cls=NinjaJSONEncoder, ensure_ascii=False).encode()
    tag = f'W/"{blake2b(plain, digest_size=12).hexdigest()}"'
    return _Document(plain, gzip.compress(plain, 9, mtime=0), tag)


@require_safe
@condition(etag_func=lambda request: _build().etag)
def openapi_json(request: HttpRequest) -> HttpResponse:
    """The document as JSON; 304 for who has it."""
    document = _build()
    takes_gzip = accepts_gzip(request.META.get("HTTP_ACCEPT_ENCODING", "").encode("latin-1"))
    response = HttpResponse(
        document.compressed if takes_gzip else document.plain, content_type="application/json; charset=utf-8"
    )
    if takes_gzip:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Cache-Control"] = CACHE_CONTROL
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The page to read the document on, and to try its operations."""
    return render(request, "api_docs.html")
