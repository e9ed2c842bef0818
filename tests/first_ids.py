"""Gives the rows of a test the same ids whichever tests ran before it."""

from functools import cache

from django.apps import apps
from django.db import connection
from django.db.models import AutoField

#: The ids of each table begin above a multiple of this, so that rows of two tables seldom share an id, and
#: that ids in tests such as 999 and 999_999 are of no row.
IDS_OF_A_TABLE = 1_000
#: The next id follows the highest one, where a file's tests share rows that were made before.
_SET_SEQUENCE = """
    setval(pg_get_serial_sequence('{table}', 'id'), greatest({start}, (SELECT max(id) FROM {table})))
"""


def restart() -> None:
    """Let the next row of each table have its table's first id, as in a database without earlier rows."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            # Its next id follows the highest one always.
            cursor.execute("DELETE FROM sqlite_sequence")
            cursor.execute(_build_sqlite_statement())
        else:
            cursor.execute(_build_postgres_query())


@cache
def _list_starts() -> list[tuple[str, int]]:
    managed = [model._meta for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    tables = sorted({meta.db_table for meta in managed if isinstance(meta.pk, AutoField)})
    return [(table, place * IDS_OF_A_TABLE) for place, table in enumerate(tables, start=1)]


@cache
def _build_sqlite_statement() -> str:
    rows = (f"('{table}', {start})" for table, start in _list_starts())
    return f"INSERT INTO sqlite_sequence (name, seq) VALUES {', '.join(rows)}"


@cache
def _build_postgres_query() -> str:
    settings = (_SET_SEQUENCE.format(table=table, start=start) for table, start in _list_starts())
    return f"SELECT {', '.join(settings)}"
