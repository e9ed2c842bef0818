"""How many people saved a shop or a note: counted in SQL, kept in Redis until a save changes it."""

from collections.abc import Collection, Mapping
from datetime import timedelta

from django.db.models import Count

from apps.redis_kit import cache, copies
from apps.redis_kit.findings import Finding
from apps.saves import keys
from apps.saves.models import Save
from apps.saves.subjects import KINDS, Kind, Subject


def count_rows(kind: Kind, subject_id: int) -> int:
    """How many people saved it, as SQL has it."""
    return Save.objects.filter(**Subject(kind, subject_id).columns).count()


COUNTS: cache.Cache[int] = cache.Cache(
    keys.COUNT, load=count_rows, fresh=timedelta(hours=1), ttl=timedelta(days=1)
)


def read(subject: Subject) -> int:
    """How many people saved it; from SQL while Redis is away."""
    return COUNTS.get(*subject) or 0


def count_many(subjects: Collection[Subject]) -> dict[Subject, int]:
    """How many people saved each of them, as SQL has it; a query for the shops and one for the notes."""
    counted = dict.fromkeys(subjects, 0)
    for kind in KINDS:
        column, ids = f"{kind}_id", [subject.pk for subject in subjects if subject.kind == kind]
        rows = Save.objects.filter(**{f"{column}__in": ids}).order_by().values_list(column)
        counted |= {Subject(kind, pk): number for pk, number in rows.annotate(Count("pk"))}
    return counted


def _peek(subjects: Collection[Subject]) -> dict[Subject, int]:
    cached = zip(subjects, COUNTS.peek_many(list(subjects)), strict=True)
    return {subject: count for subject, count in cached if count is not None}


def _invalidate(subjects: Collection[Subject]) -> None:
    for subject in subjects:
        COUNTS.invalidate(*subject)


def _describe(subject: Subject, actual: int, expected: int) -> list[Finding]:
    return [Finding(f"{subject.kind} {subject.pk}", "saves", str(actual), str(expected))]


def _parse_owner(parts: Mapping[str, str]) -> Subject | None:
    found = next((kind for kind in KINDS if kind == parts["kind"]), None)
    return Subject(found, int(parts["id"])) if found and parts["id"].isdecimal() else None


#: Compared and dropped as copies are; the cache fills it.
COPY = copies.Copy(
    keys.COUNT,
    read_copies=_peek,
    query=count_many,
    forget=_invalidate,
    describe=_describe,
    parse_owner=_parse_owner,
    connection=cache.CONNECTION,
)
