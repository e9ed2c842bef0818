"""Empties the SQL tables after a test that commits."""

from django.db import connection, transaction

#: Tables that migrate fills, with models and permissions; rewriting them takes longer than most tests.
KEPT_TABLES = {"django_migrations", "django_content_type", "auth_permission"}


def delete_all_rows(_case: object = None) -> None:
    """Delete every row but those that migrate wrote, which Django's own teardown would write again."""
    names = sorted(set(connection.introspection.django_table_names(only_existing=True)) - KEPT_TABLES)
    # In one transaction, constraints are checked only after all deletes.
    with transaction.atomic(), connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")  # noqa: S608 - models' own names
