"""The terms of a generation: for prefixes, by their stems, and without one letter for typing mistakes."""

from collections.abc import Collection, Iterable

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.text import stems

#: Letters from which on a word may have a mistake; a term may be one letter shorter than what was typed.
MIN_TYPO_LENGTH = 5
#: Terms that are read of one prefix.
MAX_PREFIX_TERMS = 200
#: Terms of one stem that are read: a word of English has fewer.
MAX_FORMS = 20
#: Members of one ZADD.
BATCH_SIZE = 2_000
#: Terms that this process knows to be in a generation; past it the memory starts over.
MAX_REMEMBERED = 500_000
_END = "\U0010ffff"

_remembered: set[tuple[str, int, str]] = set()


def add(kind: str, generation: int, terms: Collection[str]) -> None:
    """Make terms known; before their documents, so that a crash leaves a word too many and never too few."""
    new = [term for term in terms if (kind, generation, term) not in _remembered]
    if not new:
        return
    named = keys.generation_parts(kind, generation)
    spelled = [
        f"{variant} {term}" for term in new if may_be_mistyped(term, spare=1) for variant in shorten(term)
    ]
    stemmed = [f"{stem} {term}" for term in new if (stem := stems.stem(term)) != term]
    commands = [
        *_add_members(keys.VOCABULARY(**named), new),
        *_add_members(keys.SPELLINGS(**named), spelled),
        *_add_members(keys.STEMS(**named), stemmed),
    ]
    transport.execute_many(client.get(), commands)
    if len(_remembered) > MAX_REMEMBERED:
        _remembered.clear()
    _remembered.update((kind, generation, term) for term in new)


def prefix_command(kind: str, generation: int, prefix: str) -> transport.Command:
    """The command that reads the terms with a prefix, in the order of their bytes."""
    key = keys.VOCABULARY(kind=kind, generation=generation)
    return ("ZRANGE", key, f"[{prefix}", f"[{prefix}{_END}", "BYLEX", "LIMIT", 0, MAX_PREFIX_TERMS)


def stem_command(kind: str, generation: int, stem: str) -> transport.Command:
    """The command that reads the terms with a stem as "stem term", without one that is the stem itself."""
    key = keys.STEMS(kind=kind, generation=generation)
    return ("ZRANGE", key, f"[{stem} ", f"({stem}!", "BYLEX", "LIMIT", 0, MAX_FORMS)


def parse_forms(reply: Iterable[str]) -> list[str]:
    """The terms of a reply to `stem_command`."""
    return [member.partition(" ")[2] for member in reply]


def spelling_commands(kind: str, generation: int, word: str) -> list[transport.Command]:
    """The commands that read the terms one letter away from a word; `parse_spellings` reads their replies."""
    key = keys.SPELLINGS(kind=kind, generation=generation)
    return [
        ("ZRANGE", key, f"[{variant} ", f"({variant}!", "BYLEX", "LIMIT", 0, MAX_PREFIX_TERMS)
        for variant in shorten(word)
    ]


def parse_spellings(word: str, replies: Iterable[Iterable[str]]) -> list[str]:
    """The terms among the replies that are one letter away from the word."""
    terms = {member.partition(" ")[2] for reply in replies for member in reply}
    return sorted(term for term in terms if are_one_letter_apart(word, term))


def may_be_mistyped(word: str, *, spare: int = 0) -> bool:
    """Whether a word is long enough for a mistake, and in letters that have neighbours on a keyboard."""
    return len(word) >= MIN_TYPO_LENGTH - spare and word.isalpha() and word < "\u2e80"


def shorten(word: str) -> set[str]:
    """The word, and the word without each of its letters."""
    return {word, *(word[:place] + word[place + 1 :] for place in range(len(word)))}


def are_one_letter_apart(one: str, other: str) -> bool:
    """Whether one letter was added, left out, changed, or swapped with its neighbour."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return True
    rest, other_rest = one[start:], other[start:]
    swapped = rest[:2] == other_rest[:2][::-1] and rest[2:] == other_rest[2:]
    return swapped or rest[1:] == other_rest[1:] or rest[1:] == other_rest or rest == other_rest[1:]


def _add_members(key: str, members: list[str]) -> list[transport.Command]:
    slices = (members[at : at + BATCH_SIZE] for at in range(0, len(members), BATCH_SIZE))
    return [("ZADD", key, *(part for member in some for part in (0, member))) for some in slices]
