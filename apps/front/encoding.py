"""Content codings that a client accepts, by its Accept-Encoding field (RFC 9110, 12.5.3)."""

from apps.front.short_cache import MAX_CACHED_HEADERS, short_cache

#: Names of content codings in the order in which we prefer them; b"" is the plain page.
ENCODINGS = (b"br", b"gzip", b"")
_REFUSED = frozenset((b"q=0", b"q=0.", b"q=0.0", b"q=0.00", b"q=0.000"))


@short_cache(MAX_CACHED_HEADERS)
def choose_encoding(accept_encoding: bytes) -> bytes:
    """The best of ENCODINGS that the client accepts."""
    accepted = _read_accepted(accept_encoding)
    return next(name for name in ENCODINGS if not name or accepted.get(name, accepted.get(b"*", False)))


@short_cache(MAX_CACHED_HEADERS)
def accepts_gzip(accept_encoding: bytes) -> bool:
    """Whether the client accepts gzip."""
    accepted = _read_accepted(accept_encoding)
    return accepted.get(b"gzip", accepted.get(b"*", False))


def _read_accepted(accept_encoding: bytes) -> dict[bytes, bool]:
    accepted = {}
    for member in accept_encoding.lower().split(b","):
        name, _, quality = member.partition(b";")
        # The older name (RFC 9110, 8.4.1.3).
        accepted[name.strip().removeprefix(b"x-")] = quality.replace(b" ", b"") not in _REFUSED
    return accepted
