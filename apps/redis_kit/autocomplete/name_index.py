"""An index of many names, found as one types: exact, then prefix, then contains, the popular ones first.

    index = NameIndex(records=..., vocabulary=..., bands=[...])
    reading = index.next_reading()          # before the names are read from SQL
    index.put(reading, [Name(7, ["Third Floor Hot Pot"], popularity=120)])
    index.find("floor", 10)  ->  [(Match.CONTAINS, 7)]

Every spelling is a member of a sorted set of equal scores, and so is each part of it from a word's beginning;
names of one band of popularity share a set. The words are kept apart, once each, by what follows their first
letter and without each letter in turn: for a middle of a word, and for a slip of one letter.
Sources: Redis in Action, section 6.1.2; deletion buckets: Garbe's SymSpell.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from apps.redis_kit import client, scripts, transport
from apps.redis_kit.autocomplete import spelling
from apps.redis_kit.autocomplete.spelling import NAME_END, PART_MARK, escape, fold
from apps.redis_kit.transport import Command, Steps

#: Bytes of a later part of a name that the index tells apart: eight Chinese characters.
MAX_PART_BYTES = 24
#: Letters of a word in which a slip is looked for, and those of a stored word that may be meant.
MIN_SLIP_LETTERS, MAX_SLIP_LETTERS = 5, 20
#: Words one slip away that are tried in place of what was typed: all, but for made-up vocabularies.
MAX_TRIED_WORDS = 64
#: Words that are tried for a middle.
MAX_MIDDLE_WORDS = 50
#: Names of each word that is tried: as many as a list shows, of which the popular are taken.
MIN_NAMES_A_WORD = 20
#: Words that share what is left of them without one letter are few, but for made-up ones.
MAX_BUCKET_WORDS = 50
SUFFIX, WITHOUT_LETTER = "s", "d"


class Match(IntEnum):
    """How a name answers to what was typed, the best first."""

    EXACT = 0
    PREFIX = 1
    CONTAINS = 2
    SLIP = 3


class Name(NamedTuple):
    """What one id is found by; no spellings: it is no longer found. Parts of `aliases` are marked already."""

    id: int
    spellings: Sequence[str]
    popularity: int = 0
    aliases: Sequence[str] = ()


def _parse_ids(raw: list[list[str]] | None) -> list[tuple[Match, int]] | None:
    if raw is None:
        return None
    return [(match, int(one)) for match, ids in zip(Match, raw, strict=False) for one in ids]


PUT = scripts.Script("put_names", package="apps.redis_kit.autocomplete", reply=int)
REPLACE = scripts.Script("replace_names", package="apps.redis_kit.autocomplete", reply=int)
FIND = scripts.Script("find_names", package="apps.redis_kit.autocomplete", reply=_parse_ids)


@dataclass(frozen=True)
class NameIndex:
    """The keys of one index, all of one slot; `bands` are the sets of names, the most popular first."""

    records: str
    vocabulary: str
    bands: Sequence[str]

    def next_reading(self) -> int:
        """A number to take before names are read from SQL: what was read later wins."""
        return int(transport.execute(client.get(), ("HINCRBY", self.records, "reading", 1)))

    def put(self, reading: int, names: Iterable[Name]) -> None:
        """Make the index know these ids by these names alone; one round trip."""
        arguments: list[scripts.Arg] = [reading, MAX_PART_BYTES]
        vocabulary: set[str] = set()
        for name in names:
            marked = _mark(name)
            band = self._band(name.popularity) if marked else 0
            arguments += (name.id, band, marked)
            vocabulary.update(_words(name))
        call = ([self.records, *self.bands], arguments)
        members = [member for word in vocabulary for member in _word_members(word)]
        adding = ["ZADD", self.vocabulary, *(part for member in members for part in ("0", member))]
        PUT.call_many(client.get(), [call], also=[adding] if members else [])

    def find(self, typed: str, wanted: int) -> list[tuple[Match, int]] | None:
        """(how it matches, id), about `wanted` of each sort; None while the index is not complete."""
        return transport.run_together(client.get(), [self.find_steps(typed, wanted)])[0]

    def find_steps(self, typed: str, wanted: int) -> Steps[list[tuple[Match, int]] | None]:
        """What `find` does, as the steps of a verb."""
        folded = fold(typed)
        if not folded:
            return []
        # The words around are nearly always needed too.
        rest, around = self._words_around(folded)
        (found,), replies = yield from FIND.steps(self._calls([folded], wanted), also=around)
        if found is None or len(found) >= wanted:
            return found
        # The names before came by their own beginning; those of a changed word are later ones.
        known = {one for _match, one in found}
        words = [word + rest for word in _parse_words(replies)] if around else [rest] if rest else []
        yield from self._add(found, known, Match.CONTAINS, words, wanted)
        if not found:
            slips = yield from self._slip_steps(folded)
            yield from self._add(found, known, Match.SLIP, slips, wanted)
        return found

    def _add(
        self, found: list[tuple[Match, int]], known: set[int], match: Match, words: list[str], wanted: int
    ) -> Steps[None]:
        """Add the names of other words to those that were found."""
        if not words:
            return
        share = max(-(-wanted // len(words)), min(wanted, MIN_NAMES_A_WORD))
        replies, _none = yield from FIND.steps(self._calls(words, share))
        for ids in replies:
            found += [(match, one) for _, one in ids or [] if one not in known]
            known.update(one for _, one in ids or [])

    def matching(self, typed: str, ids: Sequence[int]) -> list[int]:
        """The given ids of whose names one, or a part of one, begins as typed, in their order."""
        wanted = escape(fold(typed))
        if not ids:
            return []
        records = transport.execute(client.get(), ("HMGET", self.records, *ids))
        return [one for one, record in zip(ids, records, strict=True) if record and _begins(record, wanted)]

    def begin(self) -> None:
        """Empty the index and say that it is being filled, so that changes are written to it as well."""
        self.clear()
        transport.execute(client.get(), ("HSET", self.records, "filling", "1"))

    def is_filling(self) -> bool:
        """Whether it was begun and is not complete yet."""
        return bool(transport.execute(client.get(), ("HEXISTS", self.records, "filling")))

    def mark_complete(self) -> None:
        """Say that every name is in the index, from when on `find` answers."""
        commands = [("HSET", self.records, "complete", "1"), ("HDEL", self.records, "filling")]
        transport.execute_many(client.get(), commands)

    def replace(self, old: "NameIndex") -> None:
        """Take the place of another index, under its keys, in one step; this one is gone then."""
        keys = [self.records, self.vocabulary, *self.bands, old.records, old.vocabulary, *old.bands]
        REPLACE(client.get(), keys=keys, args=[])

    def clear(self) -> None:
        """Drop the whole index."""
        transport.execute(client.get(), ("UNLINK", self.records, self.vocabulary, *self.bands))

    def _band(self, popularity: int) -> int:
        """1 for the most popular; each band reaches ten times as far as the next."""
        return max(1, len(self.bands) + 1 - len(str(max(popularity, 0))))

    def _calls(self, typed: Sequence[str], wanted: int) -> list[scripts.Call]:
        keys = [self.records, *self.bands]
        return [(keys, [escape(one), wanted, MAX_PART_BYTES]) for one in typed]

    def _words_around(self, folded: str) -> tuple[str, list[Command]]:
        """(rest, the command that reads what completes the first word to the front).

        "odle bar" is so completed to "noodle bar". Signs before the first word are left out, and nothing is
        read then: the parts of a name begin at its words.
        """
        first = next(iter(spelling.words(folded)), "")
        signs, _first, rest = folded.partition(first) if first else ("", "", "")
        if not first or signs:
            return first + rest, []
        beginning = SUFFIX + escape(first) + (NAME_END if rest else "")
        return rest, [_range_command(self.vocabulary, beginning.encode(), MAX_MIDDLE_WORDS)]

    def words_one_slip_away(self, folded: str) -> list[str]:
        """What was typed with one word replaced by words that are one slip away from it."""
        return transport.run_together(client.get(), [self._slip_steps(folded)])[0]

    def _slip_steps(self, folded: str) -> Steps[list[str]]:
        tried = []
        for word in spelling.words(folded):
            if MIN_SLIP_LETTERS <= len(word) <= MAX_SLIP_LETTERS:
                buckets = [f"{WITHOUT_LETTER}{left}{NAME_END}" for left in spelling.without_one_letter(word)]
                stored = _parse_words(
                    (
                        yield [
                            _range_command(self.vocabulary, one.encode(), MAX_BUCKET_WORDS) for one in buckets
                        ]
                    )
                )
                near = (one for one in stored if spelling.is_one_slip_away(word, one))
                tried += [folded.replace(word, one, 1) for one in near]
        return list(dict.fromkeys(tried))[:MAX_TRIED_WORDS]


def _parse_words(replies: Sequence[Any]) -> list[str]:
    """The words of members of the vocabulary."""
    members = (member for reply in scripts.raise_errors(replies) for member in reply)
    return list(dict.fromkeys(member.rpartition(NAME_END)[2] for member in members))


def _mark(name: Name) -> str:
    """The spellings of a name as its record has them; "" for one that is no longer found."""
    folded = [fold(one) for one in name.spellings]
    return NAME_END.join(dict.fromkeys([*map(spelling.mark_parts, filter(None, folded)), *name.aliases]))


def _words(name: Name) -> set[str]:
    return {word for one in name.spellings for word in spelling.words(fold(one))}


def _begins(record: str, wanted: str) -> bool:
    """Whether a spelling of a record of put_names.lua, or a part of one, begins so."""
    for marked in record.split("|", 2)[2].split(NAME_END):
        parts = marked.split(PART_MARK)
        if any("".join(parts[place:]).startswith(wanted) for place in range(len(parts))):
            return True
    return False


def _range_command(vocabulary: str, beginning: bytes, most: int) -> list[Any]:
    low, high = b"[" + beginning, b"(" + beginning + b"\xff"
    return ["ZRANGE", vocabulary, low, high, "BYLEX", "LIMIT", 0, most]


def _word_members(word: str) -> list[str]:
    """What finds a word: each of its ends past the first letter, and itself without each letter."""
    ends = [f"{SUFFIX}{word[place:]}{NAME_END}{word}" for place in range(1, len(word))]
    if word.isalpha() and MIN_SLIP_LETTERS - 1 <= len(word) <= MAX_SLIP_LETTERS:
        ends += [f"{WITHOUT_LETTER}{left}{NAME_END}{word}" for left in spelling.without_one_letter(word)]
    return ends
