"""How many people saved a shop or a note: counted in SQL, kept in Redis until a save changes it."""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import Count

from apps.redis_kit import cache
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


def count_many(subjects: Sequence[Subject]) -> dict[Subject, int]:
    """How many people saved each of them, as SQL has it; a query for the shops and one for the notes."""
    counted = dict.fromkeys(subjects, 0)
    for kind in KINDS:
        column, ids = f"{kind}_id", [subject.pk for subject in subjects if subject.kind == kind]
        rows = Save.objects.filter(**{f"{column}__in": ids}).order_by().values_list(column)
        counted |= {Subject(kind, pk): number for pk, number in rows.annotate(Count("pk"))}
    return counted
