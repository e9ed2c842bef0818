"""People mentioned in a text by "@": recorded and notified once, shown as links to their pages.

A row keeps the person's id, so a link outlives a new nickname. A text holds names, and its author sends the
ids that were picked for them. A name without a picked id counts if it is a recent contact's, or if only one
person has it. A row is kept when its name leaves the text, so a text notifies each person once.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, Protocol

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from ninja import Schema
from pydantic import Field

from apps.accounts.models import Mention, User
from apps.accounts.relations import blocks, contacts
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from apps.web import characters, object_urls, on_commit
from apps.web.problems import RowId

MARK = "@"
MAX_NAME_LENGTH = 32
#: A name may be written with more characters than it is stored with: each accent by itself.
_MAX_WRITTEN_LENGTH = 2 * MAX_NAME_LENGTH
#: People whom one text may mention; the rest of the names stay text.
MAX_MENTIONS = 20
#: "@" in an address such as a@b.c, or behind a slash as in b.c/@name, begins no name.
_START_PATTERN = re.compile(r"(?<![A-Za-z0-9_.%+/-])@(?=\S)")
#: The rest of a link, in which "@" begins no name either.
_LINK_PATTERN = re.compile(r"(?:://|www\.)\S+", re.IGNORECASE)
MentionIds = Annotated[
    list[RowId], Field(max_length=MAX_MENTIONS, description="the people meant by @names of the text")
]


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
    linked = _link(text, author_id, picked, rows) if MARK in text else {}
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
            Notice(person_id, Kind.MENTION, actor_id=author_id, target_kind=kind, target_id=target_id)
        )
    rows.delete()


def forget(kind: str, target_ids: Collection[int]) -> None:
    """Delete the mentions of erased texts and their notifications, in the caller's transaction."""
    Mention.objects.filter(kind=kind, target_id__in=target_ids).delete()
    notifications.erase_targets(kind, target_ids)


def _link(text: str, author_id: int, picked: Collection[int], rows: Mapping[int, Mention]) -> dict[int, str]:
    """Person id -> name in the text; names that the text linked before keep their person."""
    linked_before = {row.name: row.person_id for row in rows.values() if row.name}
    return link_names(text, _people_by_name(text, author_id, picked, linked_before))


def _people_by_name(
    text: str, author_id: int, picked: Collection[int], linked_before: dict[str, int]
) -> dict[str, int]:
    """Name -> the person it means: picked, linked before, a recent contact, or the only one so named."""
    people = User.objects.listed().order_by("pk")
    named = people.filter(nickname__in=possible_names(text))
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
    about: dict[str, Any] = {"target_kind": kind, "target_id": target_id, "text": text}
    notifications.notify(
        *(Notice(person_id, Kind.MENTION, actor_id=author_id, **about) for person_id in person_ids)
    )
    for person_id in person_ids:
        on_commit.run_after_commit(contacts.touch, author_id, person_id)


class Link(NamedTuple):
    """A name as it is written in a text, and the mentioned person."""

    name: str
    person_id: int


class TextLink(NamedTuple):
    """A part of a text, text[start:end], and its HTML: a link."""

    start: int
    end: int
    html: SafeString


class Mentioning(Protocol):
    """A row with a text; `attach` sets `links` to the mentioned people."""

    pk: int
    text: str
    links: Sequence[Link]


def attach_links(kind: str, rows: Iterable[Mentioning]) -> None:
    """Set `links` of each row: one query, and none when no text has an "@"."""
    listed = [row for row in rows if MARK in row.text]
    found = load_links(kind, {row.pk: row.text for row in listed})
    for row in listed:
        row.links = found.get(row.pk, ())


def load_links(kind: str, texts: Mapping[int, str]) -> dict[int, tuple[Link, ...]]:
    """Target id -> the people mentioned in its text; one query, and none when no text has an "@"."""
    target_ids = [target_id for target_id, text in texts.items() if MARK in text]
    if not target_ids:
        return {}
    rows = Mention.objects.filter(kind=kind, target_id__in=target_ids, person__is_active=True)
    found: dict[int, tuple[Link, ...]] = {}
    for target_id, name, person_id in rows.exclude(name="").values_list("target_id", "name", "person_id"):
        found[target_id] = (*found.get(target_id, ()), Link(name, person_id))
    return found


def render_text(text: str, links: Iterable[Link], others: Iterable[TextLink] = ()) -> SafeString:
    """The text as HTML, each linked name leading to the person; everything else is escaped.

    `others` are links of other kinds. Where two overlap, the one that begins first stays.
    """
    people = {link.name: link.person_id for link in links}
    parts, end = [], 0
    for link in sorted([*_mention_links(text, people), *others]):
        if link.start >= end:
            parts += [conditional_escape(text[end : link.start]), link.html]
            end = link.end
    return mark_safe("".join([*parts, conditional_escape(text[end:])]))  # noqa: S308 - each part is escaped


def _mention_links(text: str, people: Mapping[str, int]) -> Iterator[TextLink]:
    for span in find_spans(text, people):
        url = object_urls.build("accounts:person", people[span.name])
        html = format_html('<a class="mention" href="{}">{}</a>', url, text[span.start : span.end])
        yield TextLink(span.start, span.end, html)


class Span(NamedTuple):
    """Where a text names a person: from "@" to the end of the name, which may be written in another form."""

    start: int
    end: int
    name: str


def find_spans(text: str, names: Collection[str]) -> list[Span]:
    """Each "@" of a text that is followed by a known name, the longest that matches.

    Width, case and the like make no difference, unless two of the names differ in nothing else.
    """
    exact = {name: name for name in names if name}
    forms = Counter(map(characters.fold, exact))
    folded = {form: name for name in exact if forms[form := characters.fold(name)] == 1}
    spans = []
    for begin in _find_starts(text) if exact else ():
        for part in _iter_parts(text, begin.end()):
            if name := exact.get(part) or folded.get(characters.fold(part)):
                spans.append(Span(begin.start(), begin.end() + len(part), name))
                break
    return spans


def _iter_parts(text: str, start: int) -> Iterator[str]:
    """What may be a name there, the longest first."""
    rest = text[start : start + _MAX_WRITTEN_LENGTH].partition("\n")[0]
    for end in range(len(rest), 0, -1):
        if not rest[end - 1].isspace() and _stands_at(text, start, rest[:end]):
            yield rest[:end]


def _find_starts(text: str) -> list[re.Match[str]]:
    """Each "@" that may begin a name: not inside an e-mail address or a link."""
    links = find_links(text)
    return [
        begin
        for begin in _START_PATTERN.finditer(text)
        if not any(first <= begin.start() < last for first, last in links)
    ]


def find_links(text: str) -> list[tuple[int, int]]:
    """The (start, end) of each link in a text: names and topics begin only outside of links."""
    return [found.span() for found in _LINK_PATTERN.finditer(text)]


def possible_names(text: str) -> set[str]:
    """Every beginning of what follows an "@" that may be a nickname, in the forms that people write names in.

    No database folds all of Unicode: the usual capitals and Unicode's own forms are asked for.
    """
    found: set[str] = set()
    for begin in _find_starts(text)[:MAX_MENTIONS]:
        for part in _iter_parts(text, begin.end()):
            found.update(_forms(part))
    return {name for name in found if name == name.strip() and len(name) <= MAX_NAME_LENGTH}


def _forms(written: str) -> set[str]:
    plain = {written, unicodedata.normalize("NFC", written), unicodedata.normalize("NFKC", written)}
    return plain | {form for one in plain for form in (one.lower(), one.title())}


def _stands_at(text: str, start: int, name: str) -> bool:
    """Whether the text has the whole name at this place: "Bob" is not in "Bobby", but 小李 is in 小李你好."""
    end = start + len(name)
    if not text.startswith(name, start):
        return False
    return not (_is_latin(name[-1:]) and _is_latin(text[end : end + 1]))


def _is_latin(character: str) -> bool:
    return character.isalnum() and character < "\u2e80"


def link_names(text: str, people: Mapping[str, int]) -> dict[int, str]:
    """Person id -> the name by which the text mentions them, at most MAX_MENTIONS people."""
    found: dict[int, str] = {}
    for span in find_spans(text, people):
        if len(found) < MAX_MENTIONS:
            found.setdefault(people[span.name], span.name)
    return found


class MentionedOut(Schema):
    """`name` is what the text says after "@"; the person may have another by now."""

    id: int
    name: str


def build_mentioned(links: Sequence[Link]) -> list[dict[str, Any]]:
    """Return the people mentioned in a text, for MentionedOut."""
    return [{"id": link.person_id, "name": link.name} for link in links]
