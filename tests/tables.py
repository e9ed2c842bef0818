"""SQL's tables, emptied after a test that commits."""

from django.db import connection, transaction

#: What migrate writes: models and their rights. To write it anew takes longer than most tests.
KEPT_TABLES = {"django_migrations", "django_content_type", "auth_permission"}


def delete_all_rows(_case: object = None) -> None:
    """Delete every row but those that migrate wrote; Django's own way writes these once more each time."""
    names = sorted(set(connection.introspection.django_table_names(only_existing=True)) - KEPT_TABLES)
    # In one transaction constraints are looked at when all is gone.
    with transaction.atomic(), connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")  # noqa: S608 - models' own names
