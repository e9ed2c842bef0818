"""Suggestions for what somebody typed: words, names, and the contacts of one person."""

from collections.abc import Sequence
from itertools import islice

from django.utils.translation import gettext as _

from apps.accounts.relations import contacts
from apps.chat import mentions
from apps.follows import following_sets
from apps.redis_kit import client
from apps.redis_kit.autocomplete.name_index import Match
from apps.redis_kit.autocomplete.spelling import fold
from apps.search.suggest import indexing, name_lookup, words
from apps.search.suggest.sources import CONTACTS, PEOPLE, SHOPS, SOURCES, WORDS, Suggestion
from apps.search.words import recent_searches, search_counts
from apps.shops.models import City

#: Lines of each kind in a list of all kinds, at most.
MIXED_WORDS, MIXED_NAMES = 3, {SHOPS: 5, PEOPLE: 3}
#: Searches of the reader before the trending ones.
MAX_FIRST_RECENT = 4
#: Contacts and followed people of one person whose names are compared with what was typed.
MAX_KNOWN = 1_000


def find(
    typed: str,
    kind: str = "",
    *,
    viewer_id: int | None = None,
    limit: int = 8,
    chat_id: int = 0,
    city: City | None = None,
) -> list[Suggestion]:
    """At most `limit` suggestions of a kind, or of all when it is empty; contacts are the viewer's.

    The members of a chat that the viewer is in stand before other contacts, shops of the city before others
    that match as well.

    People apart from the viewer by a block are left out. While Redis is away SQL answers, without pinyin,
    slips and words; cache.Busy when too many ask it.
    """
    if kind == CONTACTS:
        return _find_contacts(typed, viewer_id, limit, chat_id) if viewer_id else []
    if not fold(typed):
        return []
    if kind == WORDS:
        return words.find(typed, limit)
    if kind:
        return [line for _match, line in name_lookup.find(typed, SOURCES[kind], viewer_id, limit, city=city)]
    return _find_mixed(typed, viewer_id, limit, city)


def list_first(owner: str, limit: int, city: City | None = None) -> list[Suggestion]:
    """What a field shows before anything is typed: the owner's last searches, then a city's trending ones."""
    found = {text: _("searched before") for text in recent_searches.newest(owner)[:MAX_FIRST_RECENT]}
    for text in search_counts.trending_for_reader(city):
        found.setdefault(text, _("trending"))
    return [Suggestion(WORDS, text, None, detail=detail, url="") for text, detail in found.items()][:limit]


def _find_contacts(typed: str, viewer_id: int, limit: int, chat_id: int) -> list[Suggestion]:
    members = mentions.list_readers(viewer_id, chat_id) if chat_id else []
    return _list_contacts(typed, viewer_id, limit, members)


def _find_mixed(typed: str, viewer_id: int | None, limit: int, city: City | None) -> list[Suggestion]:
    """A few words, shops and people; names that are one slip away only when nothing else is there."""
    lines = [(Match.EXACT, line) for line in words.find(typed, MIXED_WORDS)]
    for kind, count in MIXED_NAMES.items():
        lines += name_lookup.find(typed, SOURCES[kind], viewer_id, count, city=city)
    sure = [line for match, line in lines if match is not Match.SLIP]
    return (sure or [line for _match, line in lines])[:limit]


def _list_contacts(typed: str, user_id: int, limit: int, first: Sequence[int] = ()) -> list[Suggestion]:
    """At most `limit` people without the user; with nothing typed those whom the user knows.

    The people of `first`, such as the members of a chat, stand before all others.
    """
    known = _known_ids(user_id, first)
    matching = _matching(typed, known) if fold(typed) else known
    # Some may be gone, or apart by a block.
    near = matching[: 3 * limit]
    people = name_lookup.load_visible(SOURCES[PEOPLE], near, user_id)
    lines = {one: people[one].suggestion for one in near if one in people}
    if fold(typed) and len(lines) < limit:
        others = name_lookup.find(typed, SOURCES[PEOPLE], user_id, limit + len(lines) + 1)
        for _match, line in others:
            lines.setdefault(line.id or 0, line)
    lines.pop(user_id, None)
    return list(lines.values())[:limit]


def _known_ids(user_id: int, first: Sequence[int]) -> list[int]:
    """Recent contacts, the newest first, then the people one follows; each once, without oneself.

    Before them come those of `first`, in the same order.
    """
    followed = sorted(following_sets.SETS.read(user_id), reverse=True)
    near, preferred = [*contacts.recent(user_id), *followed], set(first)
    known = dict.fromkeys([*(one for one in near if one in preferred), *first, *near])
    known.pop(user_id, None)
    return list(islice(known, MAX_KNOWN))


def _matching(typed: str, ids: list[int]) -> list[int]:
    """Those of these people whose name, or a part of it, begins so, in their order."""
    try:
        return indexing.index_for(PEOPLE).matching(typed, ids)
    except client.UNAVAILABLE:
        rows = SOURCES[PEOPLE].load(ids)
        names = {one: map(fold, row.names) for one, row in rows.items()}
        return [one for one in ids if any(fold(typed) in name for name in names.get(one, ()))]
