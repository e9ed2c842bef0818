"""A page as ready messages: plain, gzip and brotli, whole or "not modified", for any number of readers."""

import gzip
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from http import HTTPStatus
from typing import Any, NamedTuple

import brotli
from django.urls import ResolverMatch

from apps.front.head_fields import Header
from apps.front.protocol import header_lines

Message = dict[str, Any]
#: Names of content codings in the order in which we prefer them; b"" is the plain page.
ENCODINGS = (b"br", b"gzip", b"")
#: Brotli of this level takes a page as long as gzip does and makes it a sixth smaller.
BROTLI_QUALITY, GZIP_LEVEL = 4, 6
#: Headers that say "not modified" as well as the page itself does.
NOT_MODIFIED_HEADERS = frozenset((b"cache-control", b"vary", b"cdn-cache-control", b"x-accel-expires"))
#: What a response that brings somebody a cookie must not say, and what it says instead.
PROXY_HEADERS = frozenset((b"cache-control", b"cdn-cache-control", b"x-accel-expires"))
OWN_CACHE_CONTROL = (b"cache-control", b"no-cache, private")


class Rendered(NamedTuple):
    """A response as Django made it; header names are in small letters."""

    status: int
    headers: Sequence[Header]
    body: bytes

    @property
    def is_shareable(self) -> bool:
        """Whether it is a page for everybody: 200, no cookie, nothing that forbids keeping it."""
        headers = dict(self.headers)
        rule = headers.get(b"cache-control", b"")
        is_own = b"private" in rule or b"no-store" in rule or b"set-cookie" in headers
        return self.status == HTTPStatus.OK and not is_own

    def as_answer(self) -> "Answer":
        """The response as it is, for the one who asked for it."""
        length = (b"content-length", b"%d" % len(self.body))
        return Answer(self.status, [*(one for one in self.headers if one[0] != length[0]), length], self.body)


class Answer:
    """One complete response in the forms that servers take; its messages are shared: don't edit them.

    `route` is the name of the route that it answers.
    """

    def __init__(self, status: int, headers: Sequence[Header], body: bytes = b"", *, route: str = "") -> None:
        self.status, self.headers, self.body, self.route = status, headers, body, route

    @classmethod
    def whole(cls, headers: Sequence[Header], body: bytes, *, route: str = "") -> "Answer":
        """200 with this body and these headers, which lack its length."""
        return cls(HTTPStatus.OK, [*headers, (b"content-length", b"%d" % len(body))], body, route=route)

    @cached_property
    def start(self) -> Message:
        """ASGI's first message."""
        return {"type": "http.response.start", "status": self.status, "headers": list(self.headers)}

    @cached_property
    def body_message(self) -> Message:
        """ASGI's second message."""
        return {"type": "http.response.body", "body": self.body}

    @cached_property
    def head(self) -> bytes:
        """The status line and the headers as HTTP/1.1 lines, without the empty one."""
        line = f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}\r\n".encode()
        return line + header_lines(self.headers)

    def with_cookie(self, cookie: bytes) -> "Answer":
        """The response for one browser, to which it gives a cookie."""
        kept = [header for header in self.headers if header[0] not in PROXY_HEADERS]
        return Answer(
            self.status, [*kept, OWN_CACHE_CONTROL, (b"set-cookie", cookie)], self.body, route=self.route
        )


class Document:
    """A shareable page with its ready answers; `size` is their bytes, `match` its resolved URL."""

    def __init__(self, rendered: Rendered, match: ResolverMatch) -> None:
        self.rendered, self.match = rendered, match
        self.etag = b'W/"%b"' % blake2b(rendered.body, digest_size=12).hexdigest().encode()
        headers = [header for header in rendered.headers if header[0] != b"content-length"]
        headers.append((b"etag", self.etag))
        kept = [header for header in headers if header[0] in NOT_MODIFIED_HEADERS | {b"etag"}]
        self._not_modified = Answer(HTTPStatus.NOT_MODIFIED, kept, route=match.view_name)
        self._whole = {
            encoding: _encode(encoding, headers, rendered.body, match.view_name) for encoding in ENCODINGS
        }
        self.size = sum(len(answer.body) for answer in self._whole.values())

    def answer(self, encoding: bytes, if_none_match: bytes | None) -> Answer:
        """The page in this content coding, or "not modified" for a reader who has it."""
        if if_none_match is not None and self._is_held(if_none_match):
            return self._not_modified
        return self._whole[encoding]

    def _is_held(self, if_none_match: bytes) -> bool:
        # A proxy may list several tags, and drops the mark of a weak one.
        return self.etag == if_none_match or any(
            tag.strip().removeprefix(b"W/") in (self.etag[2:], b"*") for tag in if_none_match.split(b",")
        )


def _encode(encoding: bytes, headers: Iterable[Header], body: bytes, route: str) -> Answer:
    if encoding == b"br":
        body = brotli.compress(body, mode=brotli.MODE_TEXT, quality=BROTLI_QUALITY)
    elif encoding:
        body = gzip.compress(body, GZIP_LEVEL, mtime=0)
    coded = [(b"content-encoding", encoding)] if encoding else []
    return Answer.whole([*headers, *coded], body, route=route)
