"""Records which people a text mentions, and notifies each of them once.

A text holds names, and whoever writes it sends the ids that were picked for them. A name that nobody picked
counts when it is a recent contact's, or when only one person has it. A row stays when the name leaves the
text and comes back: nobody is notified twice of one text.
"""

from collections import Counter
from collections.abc import Collection, Mapping

from apps.accounts.mentions import parsing
from apps.accounts.models import Mention, User
from apps.accounts.relations import blocks, contacts
from apps.mailbox import notifications
from apps.mailbox.kinds import Kind
from apps.web import on_commit


def record(
    kind: str,
    target_id: int,
    *,
    author_id: int,
    text: str,
    picked: Collection[int] = (),
    reader_ids: Collection[int] | None = None,
    quiet_ids: Collection[int] = (),
    notify: bool = True,
) -> None:
    """Bring the rows of a text's mentions in line with the text, in the caller's transaction.

    `kind` is "note", "comment" or "message". `reader_ids` are those who may read the text, None for
    everybody; others are not linked, and neither are people apart from the author by a block. With `notify`
    people who had no notification of this text yet get one, except `quiet_ids`.
    """
    rows = {row.person_id: row for row in Mention.objects.filter(kind=kind, target_id=target_id)}
    linked = _link(text, author_id, picked, rows) if parsing.MARK in text else {}
    if linked:
        out_of_reach = blocks.apart_from(author_id, list(linked))
        linked = {one: name for one, name in linked.items() if one not in out_of_reach}
    if reader_ids is not None:
        linked = {one: name for one, name in linked.items() if one in reader_ids}
    _save(kind, target_id, rows, linked)
    if notify and linked:
        _notify(kind, target_id, author_id, text, quiet_ids)


def take_back(kind: str, target_id: int, *, author_id: int | None) -> None:
    """Delete a gone text's mentions and their notifications, in the caller's transaction."""
    rows = Mention.objects.filter(kind=kind, target_id=target_id)
    for person_id in rows.order_by("person").values_list("person_id", flat=True):
        notifications.take_back(
            person_id, Kind.MENTION, actor_id=author_id, target_kind=kind, target_id=target_id
        )
    rows.delete()


def forget(kind: str, target_ids: Collection[int]) -> None:
    """Delete the mentions of erased texts and their notifications, in the caller's transaction."""
    Mention.objects.filter(kind=kind, target_id__in=target_ids).delete()
    notifications.erase_targets(kind, target_ids)


def _link(text: str, author_id: int, picked: Collection[int], rows: Mapping[int, Mention]) -> dict[int, str]:
    """Person id -> name in the text; names that the text linked before keep their person."""
    linked_before = {row.name: row.person_id for row in rows.values() if row.name}
    return parsing.link_names(text, _people_by_name(text, author_id, picked, linked_before))


def _people_by_name(
    text: str, author_id: int, picked: Collection[int], linked_before: dict[str, int]
) -> dict[str, int]:
    """Name -> the person it means: picked, linked before, a recent contact, or the only one so named."""
    people = User.objects.listed().order_by("pk")
    named = people.filter(nickname__in=parsing.possible_names(text))
    # Past a hundred of one name nobody is the only one.
    pairs = list(named.values_list("nickname", "pk")[:1_000])
    near = set(contacts.recent(author_id))
    # Of these each way to write the name counts.
    known = people.filter(pk__in={*near, *picked}).exclude(pk__in=[pk for _name, pk in pairs])
    pairs += known.values_list("nickname", "pk")
    counts = Counter(name for name, _pk in pairs)
    chosen = {name: pk for name, pk in pairs if counts[name] == 1}
    chosen |= {name: pk for name, pk in pairs if pk in near}
    return chosen | linked_before | {name: pk for name, pk in pairs if pk in picked}


def _save(kind: str, target_id: int, rows: Mapping[int, Mention], linked: Mapping[int, str]) -> None:
    new = [
        Mention(kind=kind, target_id=target_id, person_id=person_id, name=name)
        for person_id, name in linked.items()
        if person_id not in rows
    ]
    Mention.objects.bulk_create(new)
    changed = [row for row in rows.values() if row.name != linked.get(row.person_id, "")]
    for row in changed:
        row.name = linked.get(row.person_id, "")
    Mention.objects.bulk_update(changed, ["name"])


def _notify(kind: str, target_id: int, author_id: int, text: str, quiet_ids: Collection[int]) -> None:
    rows = Mention.objects.filter(kind=kind, target_id=target_id, is_told=False)
    waiting = rows.exclude(name="").exclude(person__in=quiet_ids)
    person_ids = list(waiting.order_by("person").values_list("person_id", flat=True))
    waiting.update(is_told=True)
    for person_id in person_ids:
        notifications.notify(
            person_id, Kind.MENTION, actor_id=author_id, target_kind=kind, target_id=target_id, text=text
        )
        on_commit.run_after_commit(contacts.touch, author_id, person_id)
