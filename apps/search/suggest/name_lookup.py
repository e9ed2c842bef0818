"""Look-ups of names of one kind: in the index, or in SQL while Redis is away."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from apps.accounts.relations import blocks
from apps.redis_kit import cache, client
from apps.redis_kit.autocomplete.name_index import Match
from apps.redis_kit.autocomplete.spelling import fold
from apps.search.suggest import indexing
from apps.search.suggest.sources import PEOPLE, Candidate, Source, Suggestion
from apps.shops.models import City
from apps.web import readings

#: Of each sort so many names are compared by popularity.
MIN_COMPARED = 30
Found = list[tuple[Match, int]]


def find(
    typed: str, source: Source, viewer_id: int | None, limit: int, *, city: City | None = None
) -> list[tuple[Match, Suggestion]]:
    """The suggestions of one source with how they match, the best first; of equal ones those in the city."""
    wanted = max(MIN_COMPARED, limit)
    found = _find_ids(typed, source, wanted)
    if found is None:
        # The index is away or incomplete: rows that contain what was typed.
        load = partial(source.ids_from_sql, typed.strip(), wanted)
        found = [(Match.CONTAINS, one) for one in cache.load_limiter().run(load)]
    candidates = load_visible(source, list(dict.fromkeys(one for _match, one in found)), viewer_id)
    return _rank(typed, found, candidates, city)[:limit]


def load_visible(source: Source, ids: Sequence[int], viewer_id: int | None) -> Mapping[int, Candidate]:
    """The rows of these ids that the viewer may see: without people behind a block."""
    candidates = source.load(ids) if ids else {}
    if source.kind == PEOPLE and viewer_id and candidates:
        apart = blocks.apart_from(viewer_id, list(candidates))
        return {one: row for one, row in candidates.items() if one not in apart}
    return candidates


def _find_ids(typed: str, source: Source, wanted: int) -> Found | None:
    """(how it matches, id) of the typed spelling, or else of others of the same sound."""
    index = indexing.index_for(source.kind)
    try:
        for spelled in _spellings(typed):
            found = index.find(spelled, wanted)
            if found is None or found:
                return found
    except client.UNAVAILABLE:
        return None
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
