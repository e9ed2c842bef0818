"""The rows of search."""

from apps.search.models.index_entries import IndexEntry
from apps.search.models.words import BlockedWord, StopWord, SynonymGroup

__all__ = ["BlockedWord", "IndexEntry", "StopWord", "SynonymGroup"]
