"""Records: what the index remembers of a document, so that it can be removed without asking SQL."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from apps.search.index import members, weights
from apps.search.text import terms
from apps.web import readings
from apps.web.findable import Document, Field


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

    `name_keys` are the keys that it stands by in the orders of names, `in_names` the shares of the bonus that
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
            weights.compute(count, length, average, shares.get(term, 0.0))
            for term, count in self.weights.items()
        ]


def build(document: Document, fields: Mapping[str, Field], version: int) -> Entry:
    """The entry of a document."""
    found = terms.of_document(document.texts, fields)
    values = [f"{facet}={value}" for facet, chosen in document.facets.items() for value in chosen if value]
    owner = [f"owner={document.owner}"] if document.owner else []
    orders = {name: float(score) for name, score in document.orders.items()}
    record = Record(found.sequence, found.length, orders, values + owner, document.place, found.forms)
    name_keys = {order: readings.sort_key(name) for order, name in document.names.items()}
    return Entry(members.encode(document.id), version, record, found.counts, name_keys, found.in_names)


def removed(document_id: int, version: int) -> Entry:
    """The entry that removes a document from the index."""
    return Entry(members.encode(document_id), version, None, {}, {}, {})
