"""Pages: the ranges of neighbouring addresses, packed and sorted, so that one field answers for an address.

Redis in Action (section 5.3) keeps range starts in a sorted set: about 100 bytes a range, and an address past
a range's end gets the city before it. A page keeps start, end and city in 8 to 20 bytes, and a third more as
text.
"""

import base64
from bisect import bisect_right
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from struct import Struct
from typing import NamedTuple

#: A range over more pages than this stands once, in its family's wide page.
MAX_PAGES_OF_A_RANGE = 256
_MASK_64 = (1 << 64) - 1


class Layout(NamedTuple):
    """A kind of page: its numbers are an address's bits from `page_shift` up, its offsets those from
    `offset_shift` to there.
    """

    prefix: str
    page_shift: int
    offset_shift: int
    entry: Struct

    @property
    def offset_mask(self) -> int:
        return (1 << (self.page_shift - self.offset_shift)) - 1

    def field(self, number: int) -> str:
        """The hash field of a page."""
        return f"{self.prefix}:{number:x}"


class Range(NamedTuple):
    """Addresses from `first` to `last`, inclusive, and the geoname id of their city."""

    first: int
    last: int
    city: int


V4 = Layout("4", 16, 0, Struct(">HHI"))
#: Blocks of IPv6 are mostly /32 to /64.
V6 = Layout("6", 96, 64, Struct(">III"))
#: Ranges that end inside a /64.
DEEP = Layout("d", 64, 0, Struct(">QQI"))
#: Ranges over very many pages; the offset is the number of a V4 or V6 page.
WIDE_V4 = Layout("4:wide", 32, 16, Struct(">III"))
WIDE_V6 = Layout("6:wide", 128, 96, Struct(">III"))


def split(layout: Layout, first: int, last: int, city: int) -> Iterator[tuple[str, bytes]]:
    """Yield (field, packed entry) for each page that a range touches."""
    shift, down, mask, pack = layout.page_shift, layout.offset_shift, layout.offset_mask, layout.entry.pack
    first_page, last_page = first >> shift, last >> shift
    start, end = first >> down & mask, last >> down & mask
    if first_page == last_page:
        yield layout.field(first_page), pack(start, end, city)
        return
    yield layout.field(first_page), pack(start, mask, city)
    for page in range(first_page + 1, last_page):
        yield layout.field(page), pack(0, mask, city)
    yield layout.field(last_page), pack(0, end, city)


def choose_layout(version: int, first: int, last: int) -> Layout:
    """The layout in which a range is kept."""
    usual, wide = (V4, WIDE_V4) if version == 4 else (V6, WIDE_V6)
    if (last >> usual.page_shift) - (first >> usual.page_shift) > MAX_PAGES_OF_A_RANGE:
        return wide
    is_deep = version == 6 and (first & _MASK_64 or last & _MASK_64 != _MASK_64)
    return DEEP if is_deep else usual


def encode(packed: bytes) -> str:
    """A page as text: the site's connections speak text."""
    return base64.b64encode(packed).decode()


def fields_of(address: IPv4Address | IPv6Address) -> list[tuple[Layout, str]]:
    """The pages that may hold an address's range, with their layouts."""
    layouts = (V4, WIDE_V4) if address.version == 4 else (V6, DEEP, WIDE_V6)
    return [(layout, layout.field(int(address) >> layout.page_shift)) for layout in layouts]


def find_city(layout: Layout, page: str, address: int) -> int | None:
    """The geoname id of the range that holds an address; None between ranges and past the end of the last."""
    entries = list(layout.entry.iter_unpack(base64.b64decode(page)))
    offset = address >> layout.offset_shift & layout.offset_mask
    index = bisect_right(entries, offset, key=lambda entry: entry[0]) - 1
    if index < 0 or offset > entries[index][1]:
        return None
    return int(entries[index][2])


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """An address, None for a text that is none; an IPv4 address inside IPv6 is the IPv4 one."""
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
