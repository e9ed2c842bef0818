"""Names in the order of their whole keys, as numbers: a sorted set by which other sets can be put in order.

    order = NameOrder(records=..., names=..., places=...)
    order.put([PlacedName("a7", version=1, key=sort_key("2号店"))])
    ZINTERSTORE result 2 matched places WEIGHTS 0 1      # what matched, by name

`names` holds the keys, which the server compares to their ends; `places` holds a whole number for each
member, between those of its neighbours. A number has no room for a whole name (see `scores`), but there is
always one more place: where neighbours leave none, the script spreads some around.
Source: Dietz and Sleator, two algorithms for maintaining order in a list, 1987.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from apps.redis_kit import client, scripts, transport

#: Names of one call: about 5 ms of Redis.
MAX_NAMES_A_CALL = 200


class PlacedName(NamedTuple):
    """A member, the version of its name, and its sort key, without NUL; "": it leaves."""

    member: str
    version: int
    key: str


PLACE = scripts.Script("place_names", package="apps.redis_kit.autocomplete", reply=int)


@dataclass(frozen=True)
class NameOrder:
    """The keys of one order, all of one slot: a hash and two sorted sets."""

    records: str
    names: str
    places: str

    def put(self, names: Iterable[PlacedName]) -> int:
        """Bring these members to their places, each unless a newer version is there; returns how many moved.

        One round trip. The order of the keys' code points is the order of the places; equals stand by member.
        """
        parts = [part for name in names for part in name]
        slices = range(0, len(parts), 3 * MAX_NAMES_A_CALL)
        keys = [self.records, self.names, self.places]
        calls: list[scripts.Call] = [(keys, parts[at : at + 3 * MAX_NAMES_A_CALL]) for at in slices]
        return sum(PLACE.call_many(client.get(), calls)[0]) if calls else 0

    def first(self, count: int) -> list[str]:
        """The first members of the order."""
        found: list[str] = transport.execute(client.get(), ("ZRANGE", self.places, 0, count - 1))
        return found
