"""The fields of a request's head as RFC 9110 means them, for every route and for Django alike.

A field that comes in several lines is one field (5.3), the white space round a value is none of it (5.5),
empty members of a list say nothing (5.6.1), and several spaces after a scheme are one (11.4).
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from django.http import parse_cookie

Header = tuple[bytes, bytes]
#: White space round a value (RFC 9110, 5.6.3).
OWS = b" \t"
#: What joins the lines of one field; RFC 9113, 8.2.3 for cookies, which hold commas.
_SEPARATORS = {b"cookie": b"; "}
#: A cookie's value that is read as it stands: RFC 6265's cookie-octets without quotes round them.
_PLAIN_VALUE = re.compile(rb"=([!#-:<-\[\]-~]*)(?:;|\Z)")
#: A list is kept with its members when it is short: browsers send some thousand, forgers any number.
MAX_CACHED_LISTS, MAX_CACHED_BYTES = 1_024, 256


def read_fields(lines: Sequence[Header]) -> dict[bytes, bytes]:
    """The fields by name, from lines with names in small letters; their order is that of the lines."""
    fields = dict(lines)
    if len(fields) != len(lines):
        fields = _join_lines(lines)
    if (language := fields.get(b"accept-language")) is not None:
        # Django takes no list with an empty member.
        fields[b"accept-language"] = drop_empty_members(language)
    if (credentials := fields.get(b"authorization")) and b"  " in credentials:
        scheme, _, rest = credentials.partition(b" ")
        fields[b"authorization"] = b"%b %b" % (scheme, rest.lstrip(b" "))
    return fields


def drop_empty_members(value: bytes) -> bytes:
    """A list with commas between its members and none elsewhere; the same text if it was like that."""
    return _cached_members(value) if len(value) <= MAX_CACHED_BYTES else _without_empty(value)


def expects_continue(value: bytes) -> bool:
    """Whether an Expect field asks for "100 Continue"; other expectations are ignored (RFC 9110, 10.1.1)."""
    return b"100-continue" in (member.strip(OWS) for member in value.lower().split(b","))


def find_cookie(field: bytes, name: bytes) -> str:
    """The value of a cookie in a Cookie field, as Django reads it: of several the last, unquoted; or ""."""
    start = field.find(name)
    if start < 0:
        return ""
    match = _PLAIN_VALUE.match(field, start + len(name))
    begins = start == 0 or field.endswith((b"; ", b";"), 0, start)
    if match and begins and field.count(name) == 1:
        return match[1].decode()
    return parse_cookie(field.decode("utf-8", "replace")).get(name.decode(), "")


def _join_lines(lines: Sequence[Header]) -> dict[bytes, bytes]:
    fields: dict[bytes, list[bytes]] = {}
    for name, value in lines:
        fields.setdefault(name, []).append(value)
    return {name: _SEPARATORS.get(name, b", ").join(values) for name, values in fields.items()}


def _without_empty(value: bytes) -> bytes:
    members = value.split(b",")
    kept = [member for member in members if member.strip(OWS)]
    return value if len(kept) == len(members) else b",".join(kept).strip(OWS)


_cached_members = lru_cache(MAX_CACHED_LISTS)(_without_empty)
