"""Loads documents of registered kinds, with the facets that other apps add."""

from collections.abc import Mapping
from dataclasses import replace

from apps.search.index import records
from apps.search.index.records import Entry
from apps.web.findable import EXTRA_FACETS, KINDS, Document, Kind


class UnknownKind(LookupError):
    """No app registered a kind of that name."""


def kind_named(name: str) -> Kind:
    """The registered kind; UnknownKind."""
    kind = KINDS.get(name)
    if kind is None:
        raise UnknownKind(name)
    return kind


def load_entries(name: str, versions: Mapping[int, int]) -> list[Entry]:
    """The entries of these ids in these versions; of one that nobody may find, the removal."""
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
    extra = [add(kind.name, [document.id for document in loaded]) for add in EXTRA_FACETS.entries()]
    return [
        replace(
            document, facets={**document.facets, **_merge(facets.get(document.id, {}) for facets in extra)}
        )
        for document in loaded
    ]


def _merge(parts: object) -> dict[str, list[str]]:
    merged: dict[str, list[str]] = {}
    for part in parts:  # type: ignore[attr-defined]
        for facet, values in part.items():
            merged.setdefault(facet, []).extend(values)
    return merged
