"""Texts with their mentions as links: the same for every reader."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from apps.accounts.mentions import parsing
from apps.accounts.models import Mention
from apps.web import object_urls


class Link(NamedTuple):
    """A name as it stands in a text, and the mentioned person."""

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


def attach(kind: str, rows: Iterable[Mentioning]) -> None:
    """Set `links` of each row: one query, and none when no text has an "@"."""
    listed = [row for row in rows if parsing.MARK in row.text]
    found = load(kind, {row.pk: row.text for row in listed})
    for row in listed:
        row.links = found.get(row.pk, ())


def load(kind: str, texts: Mapping[int, str]) -> dict[int, tuple[Link, ...]]:
    """Target id -> the people mentioned in its text; one query, and none when no text has an "@"."""
    target_ids = [target_id for target_id, text in texts.items() if parsing.MARK in text]
    if not target_ids:
        return {}
    rows = Mention.objects.filter(kind=kind, target_id__in=target_ids, person__is_active=True)
    found: dict[int, tuple[Link, ...]] = {}
    for target_id, name, person_id in rows.exclude(name="").values_list("target_id", "name", "person_id"):
        found[target_id] = (*found.get(target_id, ()), Link(name, person_id))
    return found


def render(text: str, links: Iterable[Link], others: Iterable[TextLink] = ()) -> SafeString:
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
    for span in parsing.find_spans(text, people):
        url = object_urls.build("accounts:person", people[span.name])
        html = format_html('<a class="mention" href="{}">{}</a>', url, text[span.start : span.end])
        yield TextLink(span.start, span.end, html)
