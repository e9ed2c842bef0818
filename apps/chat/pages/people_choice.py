"""People to choose for a new chat or an invitation: picked ones, recent contacts, those one follows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from apps.accounts.models import User
from apps.accounts.relations import blocks, contacts
from apps.follows import graph
from apps.web import characters

#: People whom the list looks through, and whom it shows.
MAX_KNOWN, MAX_SHOWN = 500, 30


@dataclass(frozen=True)
class Choice:
    """A person with a box to tick."""

    person: User
    is_picked: bool


def list_choices(
    user_id: int, *, words: str = "", picked: Sequence[int] = (), without: Collection[int] = ()
) -> list[Choice]:
    """Picked people, then known ones whose name has these words; `without` are those in the chat already."""
    left_out = {user_id, *without, *blocks.apart_from(user_id)}
    chosen = [each for each in dict.fromkeys(picked) if each not in left_out]
    known = [each for each in _known_ids(user_id) if each not in left_out and each not in chosen]
    people = User.objects.listed().in_bulk([*chosen, *known[:MAX_KNOWN]])
    typed = characters.fold(words)
    named = [each for each in known if each in people and typed in characters.fold(people[each].nickname)]
    picks = [Choice(people[each], is_picked=True) for each in chosen if each in people]
    return picks + [Choice(people[each], is_picked=False) for each in named[:MAX_SHOWN]]


def _known_ids(user_id: int) -> list[int]:
    """The ids of recent contacts, then of followed people."""
    return list(dict.fromkeys([*contacts.recent(user_id), *sorted(graph.followed_ids(user_id))]))
