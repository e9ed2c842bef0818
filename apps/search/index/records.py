"""Documents as the index has them: their members in its lists, the weights of their terms, and their records.

A record is what the index remembers of a document, so that it can be removed without asking SQL. Members are
ids as texts whose order is that of the numbers. Weights are BM25's without idf, with a bonus in names, as
whole numbers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Self

from apps.search.text import terms
from apps.web import readings
from apps.web.findable import KINDS, Document, Field, Kind

#: A letter for the number of digits: "a9" comes before "b10".
_LENGTHS = "?abcdefghijklmnopqrstuvwxyz"
#: BM25's saturation of repeated words, and how much long texts are held back (Robertson and Zaragoza, 2009).
K1, B = 1.2, 0.75
#: What a word of a name or a type has more than one of a description: so much that also a longer word of a
#: name that begins so (matching.PREFIX_FACTOR) comes before that.
NAME_BONUS = 5_000
#: A weight of 1.0. The largest without a bonus, K1 + 1, has 31 bits: Redis keeps it in 5 bytes of a short
#: list (one with a bonus in 9) and compares it without parsing, where a fraction takes 18 bytes and is parsed
#: each time. Scores differ by 1e-8.
WEIGHT_UNITS = 2**29


def encode_member(number: int) -> str:
    """9 -> "a9", 10 -> "b10"."""
    digits = str(number)
    return _LENGTHS[len(digits)] + digits


def decode_member(member: str) -> int:
    return int(member[1:])


def compute_weight(count: float, length: int, average: float, name_share: float = 0.0) -> int:
    """The weight of a term that occurs so often in a document of that length, in WEIGHT_UNITS.

    `name_share`: how much of the bonus it has, 1 where it is in a name.
    """
    weight = count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))
    return round((weight + NAME_BONUS * name_share) * WEIGHT_UNITS)


class Record(NamedTuple):
    """A document as the index has it: terms in order, their number, orders, `facet=value`, place.

    `forms` are further terms of its lists, as in `terms.DocumentTerms`.
    """

    sequence: str
    length: int
    orders: Mapping[str, float]
    values: Sequence[str]
    place: tuple[float, float] | None
    forms: Sequence[str] = ()

    @classmethod
    def parse(cls, raw: str | None) -> Self | None:
        """The record of a stored text; None for none."""
        if not raw:
            return None
        return cls(*json.loads(raw))

    def format(self) -> str:
        return json.dumps(self, ensure_ascii=False, separators=(",", ":"))

    def unique_terms(self) -> set[str]:
        return {*self.sequence.split(), *self.forms}


class Entry(NamedTuple):
    """A document ready for the index: `weights` by term still lack the saturation by length.

    `name_keys` are its sort keys in the orders of names, `in_names` the shares of the bonus that
    terms of its names have.
    """

    member: str
    version: int
    record: Record | None
    weights: Mapping[str, float]
    name_keys: Mapping[str, str]
    in_names: Mapping[str, float]

    def compute_weights(self, average: float) -> list[int]:
        """The weight of each term of `weights`, in their order."""
        length, shares = self.record.length if self.record else 0, self.in_names
        return [
            compute_weight(count, length, average, shares.get(term, 0.0))
            for term, count in self.weights.items()
        ]


def build_entry(document: Document, fields: Mapping[str, Field], version: int) -> Entry:
    """The entry of a document."""
    found = terms.of_document(document.texts, fields)
    values = [f"{facet}={value}" for facet, chosen in document.facets.items() for value in chosen if value]
    owner = [f"owner={document.owner}"] if document.owner else []
    orders = {name: float(score) for name, score in document.orders.items()}
    record = Record(found.sequence, found.length, orders, values + owner, document.place, found.forms)
    name_keys = {order: readings.sort_key(name) for order, name in document.names.items()}
    return Entry(encode_member(document.id), version, record, found.counts, name_keys, found.in_names)


def removed_entry(document_id: int, version: int) -> Entry:
    """The entry that removes a document from the index."""
    return Entry(encode_member(document_id), version, None, {}, {}, {})


class UnknownKind(LookupError):
    """No app registered a kind of that name."""


def kind_named(name: str) -> Kind:
    """The registered kind; UnknownKind."""
    kind = KINDS.get(name)
    if kind is None:
        raise UnknownKind(name)
    return kind


def load_entries(name: str, versions: Mapping[int, int]) -> list[Entry]:
    """The entries of the given ids in these versions; of a thing that may not be found, its removal."""
    kind = kind_named(name)
    found = {document.id: document for document in load_documents(kind, list(versions))}
    return [
        build_entry(found[number], kind.fields, version)
        if number in found
        else removed_entry(number, version)
        for number, version in versions.items()
    ]


def load_documents(kind: Kind, ids: list[int]) -> list[Document]:
    """The documents of a kind with all their facets."""
    loaded = kind.load(ids)
    extra: dict[int, dict[str, list[str]]] = {}
    for each in KINDS.entries():
        for number, facets in each.facets_of_others(kind.name, [document.id for document in loaded]).items():
            for facet, values in facets.items():
                extra.setdefault(number, {}).setdefault(facet, []).extend(values)
    return [_with_facets(document, extra.get(document.id)) for document in loaded]


def _with_facets(document: Document, extra: Mapping[str, Sequence[str]] | None) -> Document:
    return replace(document, facets={**document.facets, **extra}) if extra else document
