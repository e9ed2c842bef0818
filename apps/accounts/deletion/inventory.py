"""Every column of every model that names a person, found by walking Django's models."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from django.apps import apps
from django.db.models import Model

from apps.accounts.deletion import rules
from apps.accounts.models import AccountDeletion, User
from apps.redis_kit.findings import Finding
from apps.web.batches import iter_pk_chunks

BATCH_PEOPLE = 500


def person_columns() -> dict[str, tuple[type[Model], str]]:
    """{"blog.Note.author": (Note, "author")} of all columns that name a person, M2M tables' too."""
    return {
        f"{model._meta.label}.{field.name}": (model, field.name)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if field.remote_field and field.related_model is User
    }


def find_leftovers(user_ids: Collection[int]) -> dict[int, list[str]]:
    """{user id: columns that name them and are not kept by any rule}; one query a column."""
    kept, found = rules.kept_columns(), defaultdict[int, list[str]](list)
    for label, (model, name) in person_columns().items():
        if label not in kept:
            rows: Any = model._default_manager.filter(**{f"{name}__in": user_ids}).order_by()
            for user_id in rows.values_list(name, flat=True).distinct():
                found[user_id].append(label)
    return found


def check(fix: bool) -> Iterator[Finding]:
    """Yield purged people whose id still stands in a row; with `fix` the sweep purges them once more."""
    purged = AccountDeletion.objects.filter(purged_at__isnull=False)
    for user_ids in iter_pk_chunks(purged, BATCH_PEOPLE):
        left = find_leftovers(user_ids)
        if fix:
            _purge_again(list(left))
        for user_id, columns in left.items():
            yield Finding(f"deleted account {user_id}", "rows", ", ".join(columns), "none")


def _purge_again(user_ids: Sequence[int]) -> None:
    AccountDeletion.objects.filter(pk__in=user_ids).update(purged_at=None)
