"""People to write to: one's recent contacts, then those one follows, then everybody by name."""

from collections.abc import Sequence
from itertools import islice

from apps.accounts.relations import contacts
from apps.follows import following_sets
from apps.redis_kit import client
from apps.redis_kit.autocomplete.spelling import fold
from apps.search.suggest import indexing, name_lookup
from apps.search.suggest.sources import PEOPLE, SOURCES, Suggestion

#: People whom one knows whose names are compared with what was typed.
MAX_KNOWN = 1_000


def find(typed: str, user_id: int, limit: int, first: Sequence[int] = ()) -> list[Suggestion]:
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
