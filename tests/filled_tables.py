"""Empties the tables that a test has written: most have no row, and one query says which have."""

from functools import cache

from django.db import connection

#: Tables that migrate fills, with models and permissions; rewriting them takes longer than most tests.
KEPT_TABLES = {"django_migrations", "django_content_type", "auth_permission"}


def delete_rows() -> None:
    """Delete every row but those that migrate wrote; constraints are checked as the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(_build_query())
        for (name,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")


@cache
def _build_query() -> str:
    """SQL that reads the names of the tables with rows in them."""
    names = sorted(set(connection.introspection.django_table_names(only_existing=True)) - KEPT_TABLES)
    return " UNION ALL ".join(
        f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {connection.ops.quote_name(name)})" for name in names
    )
