"""The person of a request, by plain SQL: most requests ask, and the ORM took four times as long."""

from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from apps.accounts.models import User

_FIELD_NAMES = tuple(field.attname for field in User._meta.concrete_fields)
_COLUMNS = ", ".join(str(field.column) for field in User._meta.concrete_fields)
_ACTIVE_USER_SQL = f"SELECT {_COLUMNS} FROM {User._meta.db_table} WHERE id = %s AND is_active"  # noqa: S608 - only names of the model


def fetch_active(user_id: int) -> User | None:
    """The row of a person who is not disabled: one query."""
    with connection.cursor() as cursor:
        cursor.execute(_ACTIVE_USER_SQL, [user_id])
        row = cursor.fetchone()
    return User.from_db(connection.alias, _FIELD_NAMES, [_with_zone(value) for value in row]) if row else None


def _with_zone(value: Any) -> Any:
    """SQLite keeps no zone."""
    is_naive = isinstance(value, datetime) and timezone.is_naive(value)
    return timezone.make_aware(value, connection.timezone) if is_naive else value
