"""A page as ready responses: plain, gzip and brotli, whole or "not modified", for any number of readers."""

import gzip
from hashlib import blake2b
from http import HTTPStatus

import brotli
from django.urls import ResolverMatch

from apps.front.encoding import ENCODINGS
from apps.front.response import Response

#: Brotli of this level takes a page as long as gzip does and makes it a sixth smaller.
BROTLI_QUALITY, GZIP_LEVEL = 4, 6
#: Headers that say "not modified" as well as the page itself does.
NOT_MODIFIED_HEADERS = frozenset((b"cache-control", b"vary", b"cdn-cache-control", b"x-accel-expires"))


class Document:
    """A shareable page with its ready responses; `size` is their bytes, `match` its resolved URL."""

    def __init__(self, page: Response, match: ResolverMatch) -> None:
        self.page, self.match = page, match
        self.etag = b'W/"%b"' % blake2b(page.body, digest_size=12).hexdigest().encode()
        headers = [*page.headers, (b"etag", self.etag)]
        kept = [header for header in headers if header[0] in NOT_MODIFIED_HEADERS | {b"etag"}]
        self._not_modified = Response(HTTPStatus.NOT_MODIFIED, kept, route=match.view_name)
        whole = Response(HTTPStatus.OK, headers, page.body, route=match.view_name)
        self._whole = {encoding: _encode(whole, encoding) for encoding in ENCODINGS}
        self.size = sum(len(response.body) for response in self._whole.values())

    def answer(self, encoding: bytes, if_none_match: bytes | None) -> Response:
        """The page in this content coding, or "not modified" for a reader who has it."""
        if if_none_match is not None and self._is_held(if_none_match):
            return self._not_modified
        return self._whole[encoding]

    def _is_held(self, if_none_match: bytes) -> bool:
        # A proxy may list several tags, and drops the mark of a weak one.
        return self.etag == if_none_match or any(
            tag.strip().removeprefix(b"W/") in (self.etag[2:], b"*") for tag in if_none_match.split(b",")
        )


def _encode(page: Response, encoding: bytes) -> Response:
    if not encoding:
        return page
    if encoding == b"br":
        body = brotli.compress(page.body, mode=brotli.MODE_TEXT, quality=BROTLI_QUALITY)
    else:
        body = gzip.compress(page.body, GZIP_LEVEL, mtime=0)
    return Response(page.status, [*page.headers, (b"content-encoding", encoding)], body, route=page.route)
