"""Suggestions for what somebody typed."""

from apps.chat import mentions
from apps.redis_kit.autocomplete.name_index import Match
from apps.redis_kit.autocomplete.spelling import fold
from apps.search.suggest import contact_lists, name_lookup, words
from apps.search.suggest.sources import CONTACTS, PEOPLE, SHOPS, SOURCES, WORDS, Suggestion

#: Lines of each kind in a list of all kinds, at most.
MIXED_WORDS, MIXED_NAMES = 3, {SHOPS: 5, PEOPLE: 3}


def find(
    typed: str,
    kind: str = "",
    *,
    viewer_id: int | None = None,
    limit: int = 8,
    chat_id: int = 0,
) -> list[Suggestion]:
    """At most `limit` suggestions of a kind, or of all when it is empty; contacts are the viewer's.

    The members of a chat that the viewer is in stand before other contacts.

    People apart from the viewer by a block are left out. While Redis is away SQL answers, without pinyin,
    slips and words; cache_loads.Busy when too many ask it.
    """
    if kind == CONTACTS:
        return _find_contacts(typed, viewer_id, limit, chat_id) if viewer_id else []
    if not fold(typed):
        return []
    if kind == WORDS:
        return words.find(typed, limit)
    if kind:
        return [line for _match, line in name_lookup.find(typed, SOURCES[kind], viewer_id, limit)]
    return _find_mixed(typed, viewer_id, limit)


def _find_contacts(typed: str, viewer_id: int, limit: int, chat_id: int) -> list[Suggestion]:
    members = mentions.list_readers(viewer_id, chat_id) if chat_id else []
    return contact_lists.find(typed, viewer_id, limit, members)


def _find_mixed(typed: str, viewer_id: int | None, limit: int) -> list[Suggestion]:
    """A few words, shops and people; names that are one slip away only when nothing else is there."""
    lines = [(Match.EXACT, line) for line in words.find(typed, MIXED_WORDS)]
    for kind, count in MIXED_NAMES.items():
        lines += name_lookup.find(typed, SOURCES[kind], viewer_id, count)
    sure = [line for match, line in lines if match is not Match.SLIP]
    return (sure or [line for _match, line in lines])[:limit]
