"""What the demo's shops of each type are called, when they are open, what they cost and say."""

from dataclasses import dataclass
from typing import Any

from apps.demo import texts
from apps.demo.texts import TextPair


@dataclass(frozen=True)
class ShopKind:
    """A type of shops; `price` is the usual range a person pays, in yuan; `share` its number in 20 shops."""

    slug: str
    share: int
    price: tuple[int, int]
    hours: tuple[str, ...]
    cores: tuple[TextPair, ...]
    abouts: tuple[TextPair, ...]

    def abouts_of(self, core: str) -> tuple[TextPair, ...]:
        """What shops with this word in their English name may say of themselves."""
        return self.abouts + ABOUTS_BY_CORE.get(core, ())


def _read_kind(slug: str, row: dict[str, Any]) -> ShopKind:
    low, high = row["price"]
    cores, abouts = texts.pairs(row["cores"]), texts.pairs(row["abouts"])
    return ShopKind(slug, row["share"], (low, high), tuple(row["hours"]), cores, abouts)


_TEXTS = texts.read("shops")
#: Words of shops' names that say whose they are, or where.
FLAVOURS = texts.pairs(_TEXTS["flavours"])
#: What only shops of this English name say of themselves.
ABOUTS_BY_CORE = {core: texts.pairs(abouts) for core, abouts in _TEXTS["abouts_by_core"].items()}
KINDS = tuple(_read_kind(slug, row) for slug, row in _TEXTS["kinds"].items())
#: The repeating sequence of shop types by shop number: each by its share, mixed so that neighbours differ.
CYCLE = tuple(
    kind for turn in range(max(kind.share for kind in KINDS)) for kind in KINDS if turn < kind.share
)
