"""Loads documents of registered kinds, with the facets that other apps add."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from apps.search.index import records
from apps.search.index.records import Entry
from apps.web.findable import KINDS, Document, Kind


class UnknownKind(LookupError):
    """No app registered a kind of that name."""


def kind_named(name: str) -> Kind:
    """The registered kind; UnknownKind."""
    kind = KINDS.get(name)
    if kind is None:
        raise UnknownKind(name)
    return kind


def load_entries(name: str, versions: Mapping[int, int]) -> list[Entry]:
    """The entries of these ids in these versions; of a thing that may not be found, its removal."""
    kind = kind_named(name)
    found = {document.id: document for document in load(kind, list(versions))}
    return [
        records.build(found[number], kind.fields, version)
        if number in found
        else records.removed(number, version)
        for number, version in versions.items()
    ]


def load(kind: Kind, ids: list[int]) -> list[Document]:
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
