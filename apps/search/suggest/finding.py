"""Suggestions for what a person typed: words, names, and the contacts of one person."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from apps.accounts.relations import blocks, contacts
from apps.chat import mentions
from apps.follows import graph
from apps.redis_kit import cache, client, transport
from apps.redis_kit.autocomplete.name_index import Match
from apps.redis_kit.autocomplete.spelling import fold
from apps.redis_kit.transport import Steps
from apps.search.suggest import indexing, words
from apps.search.suggest.sources import CONTACTS, PEOPLE, SHOPS, SOURCES, WORDS, Candidate, Source, Suggestion
from apps.search.words import recent_searches, search_counts
from apps.shops.models import City
from apps.web import readings

#: Lines of each kind in a list of all kinds, at most.
MIXED_WORDS, MIXED_NAMES = 3, {SHOPS: 5, PEOPLE: 3}
#: Searches of the reader before the trending ones.
MAX_FIRST_RECENT = 4
#: Contacts and followed people of one person whose names are compared with what was typed.
MAX_KNOWN = 1_000

#: Of each sort so many names are compared by popularity.
MIN_COMPARED = 30
FoundNames = list[tuple[Match, int]]


def find_suggestions(
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
        return [line for _match, line in find_names(typed, SOURCES[kind], viewer_id, limit, city=city)]
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
    lines: list[tuple[Match, Suggestion]] = []
    found: list[FoundNames | None] = [None] * len(MIXED_NAMES)
    searches: list[Steps[Any]] = [words.find_steps(typed, MIXED_WORDS)]
    searches += [_find_steps(typed, kind, max(MIN_COMPARED, count)) for kind, count in MIXED_NAMES.items()]
    with suppress(*client.UNAVAILABLE):
        known_words, *found = transport.run_together(client.get(), searches)
        lines += [(Match.EXACT, line) for line in known_words]
    for (kind, count), names in zip(MIXED_NAMES.items(), found, strict=True):
        lines += _load_and_rank(typed, SOURCES[kind], names, viewer_id, count, city)
    sure = [line for match, line in lines if match is not Match.SLIP]
    return (sure or [line for _match, line in lines])[:limit]


def _list_contacts(typed: str, user_id: int, limit: int, first: Sequence[int] = ()) -> list[Suggestion]:
    """At most `limit` people without the user; with nothing typed the people that the user knows.

    The people of `first`, such as the members of a chat, stand before all others.
    """
    known = _known_ids(user_id, first)
    matching = _matching(typed, known) if fold(typed) else known
    # Some may be gone, or apart by a block.
    near = matching[: 3 * limit]
    people = load_visible(SOURCES[PEOPLE], near, user_id)
    lines = {one: people[one].suggestion for one in near if one in people}
    if fold(typed) and len(lines) < limit:
        others = find_names(typed, SOURCES[PEOPLE], user_id, limit + len(lines) + 1)
        for _match, line in others:
            lines.setdefault(line.id or 0, line)
    lines.pop(user_id, None)
    return list(lines.values())[:limit]


def _known_ids(user_id: int, first: Sequence[int]) -> list[int]:
    """Recent contacts, the newest first, then the people one follows; each once, without oneself.

    Before them come those of `first`, in the same order.
    """
    followed = sorted(graph.SETS.read(user_id), reverse=True)
    near, preferred = [*contacts.recent(user_id), *followed], set(first)
    known = dict.fromkeys([*(one for one in near if one in preferred), *first, *near])
    known.pop(user_id, None)
    return list(islice(known, MAX_KNOWN))


def _matching(typed: str, ids: list[int]) -> list[int]:
    """The given people whose name, or a part of it, begins so, in their order."""
    try:
        return indexing.index_for(PEOPLE).matching(typed, ids)
    except client.UNAVAILABLE:
        rows = SOURCES[PEOPLE].load(ids)
        names = {one: map(fold, row.names) for one, row in rows.items()}
        return [one for one in ids if any(fold(typed) in name for name in names.get(one, ()))]


def find_names(
    typed: str, source: Source, viewer_id: int | None, limit: int, *, city: City | None = None
) -> list[tuple[Match, Suggestion]]:
    """The suggestions of one source with how they match, the best first; of equal ones those in the city."""
    found: FoundNames | None = None
    with suppress(*client.UNAVAILABLE):
        steps = _find_steps(typed, source.kind, max(MIN_COMPARED, limit))
        found = transport.run_together(client.get(), [steps])[0]
    return _load_and_rank(typed, source, found, viewer_id, limit, city)


def _load_and_rank(
    typed: str,
    source: Source,
    found: FoundNames | None,
    viewer_id: int | None,
    limit: int,
    city: City | None,
) -> list[tuple[Match, Suggestion]]:
    if found is None:
        # The index is away or incomplete: rows that contain what was typed.
        load = partial(source.ids_from_sql, typed.strip(), max(MIN_COMPARED, limit))
        found = [(Match.CONTAINS, one) for one in cache.load_limiter().run(load)]
    candidates = load_visible(source, list(dict.fromkeys(one for _match, one in found)), viewer_id)
    return _rank(typed, found, candidates, city)[:limit]


def load_visible(source: Source, ids: Sequence[int], viewer_id: int | None) -> Mapping[int, Candidate]:
    """The rows of the given ids that the viewer may see: without people behind a block."""
    candidates = source.load(ids) if ids else {}
    if source.kind == PEOPLE and viewer_id and candidates:
        apart = blocks.apart_from(viewer_id, list(candidates))
        return {one: row for one, row in candidates.items() if one not in apart}
    return candidates


def _find_steps(typed: str, kind: str, wanted: int) -> Steps[FoundNames | None]:
    """(how it matches, id) of the typed spelling, or else of others of the same sound."""
    index = indexing.index_for(kind)
    for spelled in _spellings(typed):
        found = yield from index.find_steps(spelled, wanted)
        if found is None or found:
            return found
    return []


def _spellings(typed: str) -> Iterator[str]:
    """What was typed; pinyin without its spaces; Chinese characters by their sound, as 海低捞 for 海底捞."""
    joined = fold(typed).replace(" ", "").replace("'", "")
    yield from dict.fromkeys([typed, joined, readings.write_umlauts_as_u(joined)])
    # Last: it loads the dictionary of readings, 57 MB.
    if readings.has_chinese(typed):
        yield "".join(readings.syllables(typed))


def _rank(
    typed: str, found: Iterable[tuple[Match, int]], candidates: Mapping[int, Candidate], city: City | None
) -> list[tuple[Match, Suggestion]]:
    """Those that are still there in order, by the names that SQL has: the index may be a moment behind."""
    folded = fold(typed)
    matched: dict[int, Match] = {}
    for match, one in found:
        if one in candidates:
            matched.setdefault(one, _match_of_names(folded, candidates[one].names, match))
    away = {one: not _is_in(city, candidates[one]) for one in matched}
    order = sorted(matched, key=lambda one: (matched[one], away[one], -candidates[one].popularity, one))
    return [(matched[one], candidates[one].suggestion) for one in order]


def _is_in(city: City | None, candidate: Candidate) -> bool:
    at = candidate.at
    return bool(city and not city.is_everywhere and at and city.bounds.contains(at.lat, at.lng))


def _match_of_names(folded: str, names: Iterable[str], by_index: Match) -> Match:
    spelled = [fold(name) for name in names]
    if folded in spelled:
        return Match.EXACT
    if any(name.startswith(folded) for name in spelled):
        return Match.PREFIX
    if any(folded in name for name in spelled):
        return Match.CONTAINS
    # By pinyin or initials: never before a name that is written so.
    return max(by_index, Match.PREFIX)
