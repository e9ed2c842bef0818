"""Topics: "#" and a word in a text, such as #noodles or #面条; each has a page of the notes that name it."""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.urls import reverse
from django.utils.html import format_html

from apps.accounts import mentions
from apps.accounts.mentions import TextLink
from apps.blog.models import MAX_TOPIC_LENGTH, Note, NoteQuerySet, NoteTopic
from apps.web.characters import drop_ignorable, fold

#: "#" as keyboards of any script write it: plain, of full width, small.
MARKS = frozenset("#＃﹟")
#: Topics that one text may have; the rest stay text.
MAX_TOPICS = 20
#: Letters of a text that a topic is looked for in: folding may leave fewer, and never that many more.
_MAX_WRITTEN_LENGTH = 2 * MAX_TOPIC_LENGTH
#: The most notes that are counted for one line.
MAX_COUNTED = 1_000


class Span(NamedTuple):
    """Where a text names a topic, from its mark to its end; `topic` is the folded name."""

    start: int
    end: int
    topic: str


def find_spans(text: str) -> list[Span]:
    """Where a text names topics, the first MAX_TOPICS; none inside a link or a word."""
    if MARKS.isdisjoint(text):
        return []
    links = mentions.find_links(text)
    spans = []
    for span in _iter_spans(text):
        if not any(first <= span.start < last for first, last in links):
            spans.append(span)
        if len(spans) == MAX_TOPICS:
            break
    return spans


def find(text: str) -> list[str]:
    """The topics of a text, each once, in their order."""
    return list(dict.fromkeys(span.topic for span in find_spans(text)))


def clean(name: str) -> str | None:
    """The topic that is meant by what a person typed, with "#" or without; None for what can't be one."""
    topic = fold(name.strip().lstrip("".join(MARKS)))
    return topic if _is_topic(topic) else None


def link_spans(text: str) -> Iterator[TextLink]:
    """The topics of a text as links to their pages, for `accounts.mentions.render_text`."""
    for start, end, topic in find_spans(text):
        url = reverse("blog:topic", args=[topic])
        html = format_html('<a class="topic" href="{}">{}</a>', url, text[start:end])
        yield TextLink(start, end, html)


def record(note: Note) -> None:
    """Bring the rows of a note's topics in line with its text, in the caller's transaction."""
    named = find(note.text)
    NoteTopic.objects.filter(note=note).exclude(topic__in=named).delete()
    record_all([note])


def record_all(notes: Iterable[Note]) -> None:
    """Add the missing rows of many notes' topics in one statement, none when no text has a topic."""
    rows = [NoteTopic(note_id=note.pk, topic=topic) for note in notes for topic in find(note.text)]
    NoteTopic.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)


def notes_about(topic: str) -> NoteQuerySet:
    """The published notes that name a topic."""
    return Note.objects.published().filter(topic_rows__topic=topic)


def count_notes(topic: str) -> int:
    """How many published notes name a topic, MAX_COUNTED at most."""
    return notes_about(topic)[:MAX_COUNTED].count()


def _iter_spans(text: str) -> Iterator[Span]:
    end = 0
    for start, character in enumerate(text):
        if character not in MARKS or start < end or not _may_begin(text, start, end):
            continue
        end = _find_end(text, start + 1)
        topic = fold(text[start + 1 : end]) if end - start <= _MAX_WRITTEN_LENGTH else ""
        if _is_topic(topic):
            yield Span(start, end, topic)


def _may_begin(text: str, start: int, last_end: int) -> bool:
    """Whether a mark may begin a topic: not in "C#major", "&#39;" or "/#part", but right behind a topic."""
    before = text[start - 1 : start]
    return start == last_end or not (_is_part(before) or before in set("&/"))


def _find_end(text: str, start: int) -> int:
    end = start
    while end < len(text) and (_is_part(text[end]) or not drop_ignorable(text[end])):
        end += 1
    return end


def _is_part(character: str) -> bool:
    """Whether it may stand in a topic: letters, digits and their accents in any script, and "_"."""
    return character == "_" or unicodedata.category(character or " ")[0] in "LMN"


def _is_topic(topic: str) -> bool:
    """Whether a folded name can be a topic: "1" and a lone accent are none, as is half a sentence."""
    if not 0 < len(topic) <= MAX_TOPIC_LENGTH or not all(map(_is_part, topic)):
        return False
    is_accent = unicodedata.category(topic[0])[0] == "M"
    return not is_accent and any(unicodedata.category(character)[0] == "L" for character in topic)
