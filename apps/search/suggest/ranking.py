"""The order of suggestions: exact, prefix, contains, a slip of one letter; the popular first."""

from collections.abc import Iterable, Mapping

from apps.redis_kit.autocomplete.name_index import Match
from apps.redis_kit.autocomplete.spelling import fold
from apps.search.suggest.sources import Candidate, Suggestion


def rank(
    typed: str, found: Iterable[tuple[Match, int]], candidates: Mapping[int, Candidate]
) -> list[tuple[Match, Suggestion]]:
    """Those that are still there in order, by the names that SQL has: the index may be a moment behind."""
    folded = fold(typed)
    matched: dict[int, Match] = {}
    for match, one in found:
        if one in candidates:
            matched.setdefault(one, _match_of_names(folded, candidates[one].names, match))
    order = sorted(matched, key=lambda one: (matched[one], -candidates[one].popularity, one))
    return [(matched[one], candidates[one].suggestion) for one in order]


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
