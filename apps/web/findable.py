"""What search can find: kinds that apps register, and the call that says that something changed.

Search imports none of the apps whose things it finds. Each app registers a Kind in its provides.py, and its
verbs call `changed` inside their transactions.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from django.utils.functional import Promise

from apps.web import characters, in_language
from apps.web.registry import Registry


class Field(NamedTuple):
    """How much a word in this field counts.

    In a name, single Chinese characters are found too, and its Chinese by pinyin, as in a field `by_sound`.
    """

    weight: float
    is_name: bool = False
    by_sound: bool = False


@dataclass(frozen=True)
class Document:
    """A public document as search indexes it.

    `texts` by field in all languages, `orders` by name (times in seconds since 1970), `names` by name order,
    values by facet (a value has no white space and no brace). `owner` is the person whose blocks hide it, 0
    without one.
    """

    id: int
    texts: Mapping[str, Sequence[str]]
    orders: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    facets: Mapping[str, Sequence[str]] = field(default_factory=dict)
    place: tuple[float, float] | None = None
    owner: int = 0


class Shown(NamedTuple):
    """A document as pages show it, in the active language: `text` is what a snippet is cut from.

    `owner` is the person whose blocks hide it, 0 without one.
    """

    title: str
    text: str
    url: str
    thing: Any
    owner: int = 0


class PkChunks(Protocol):
    """All ids of a kind, or those past `after`, in ascending slices."""

    def __call__(self, after: int = 0) -> Iterator[list[int]]: ...


#: {id: {facet: values}}
Facets = Mapping[int, Mapping[str, Sequence[str]]]


def _no_facets(_kind: str, _ids: Sequence[int]) -> Facets:
    return {}


@dataclass(frozen=True)
class Kind:
    """A kind of things that can be found.

    `load` returns the documents of the public ones among the ids, `pk_chunks` all their ids in slices,
    `show` what people read of them. `window` names two orders between which a moment must lie. Things with a
    name have an order by it: "name", or one for each language, as `in_language.columns("name")`. The values
    of the facets in `scales` have an order of their own. `has_hours`: they are shops, which open and close.
    `has_places`: where words fit alike the near ones come first, and those with more of the order "votes".
    Things with the same value in `same_order`, the `number_text` of theirs, have the same text.
    `facets_of_others` gives facets to things of other kinds, by the kind's name and ids.
    """

    name: str
    label: str | Promise
    fields: Mapping[str, Field]
    orders: tuple[str, ...]
    facets: tuple[str, ...]
    load: Callable[[Sequence[int]], list[Document]]
    pk_chunks: PkChunks
    show: Callable[[Collection[int]], dict[int, Shown]]
    label_facet: Callable[[str, str], str] = lambda _facet, value: value
    window: tuple[str, str] | None = None
    name_orders: tuple[str, ...] = ()
    scales: tuple[str, ...] = ()
    has_hours: bool = False
    has_places: bool = False
    same_order: str = ""
    facets_of_others: Callable[[str, Sequence[int]], Facets] = _no_facets


@dataclass(frozen=True)
class Listener:
    """Called as `call(kind, ids)` with changed things, inside their transaction.

    With `kinds` or `columns` only with those kinds, or if one of the columns changed.
    """

    call: Callable[[str, Sequence[int]], object]
    kinds: Collection[str] | None = None
    columns: frozenset[str] | None = None

    def follows(self, kind: str, columns: Collection[str] | None) -> bool:
        """Whether it is called with a change of the given columns, None for any."""
        is_wanted = self.columns is None or columns is None or not self.columns.isdisjoint(columns)
        return is_wanted and (self.kinds is None or kind in self.kinds)


#: By name, in the order of a page's tabs.
KINDS: Registry[Kind] = Registry("kinds that can be found")
CHANGED: Registry[Listener] = Registry("findable things changed")


def changed(kind: str, *ids: int, columns: Collection[str] | None = None) -> None:
    """Say, inside a transaction, that these things changed, appeared or went away."""
    if ids:
        for listener in CHANGED.entries():
            if listener.follows(kind, columns):
                listener.call(kind, ids)


def number_text(text: str) -> int:
    """The same number for texts with the same words, odd where they are Chinese; 0 for no words."""
    words = characters.fold(text)
    if not words:
        return 0
    # Redis' scores hold whole numbers of 53 bits.
    digest = int.from_bytes(sha256(words.encode()).digest()[:6])
    return 2 * digest + (in_language.language_of(words) == "zh-Hans")


def is_chinese_text(number: float) -> bool:
    """Whether the text of a `number_text`, not 0, is Chinese."""
    return number % 2 == 1


def pair_value(english: str, chinese: str) -> str:
    """A facet's value that carries its names in both languages: "West_Lake|西湖"."""
    names = (" ".join(name.split()).replace(" ", "_") for name in (english, chinese))
    return "|".join(name.replace("{", "(").replace("}", ")").replace("|", "/")[:80] for name in names)


def split_pair(value: str) -> tuple[str, str]:
    """The (English, Chinese) names in a facet's value."""
    english, _, chinese = value.replace("_", " ").partition("|")
    return english, chinese
