"""Queries of the ORM whose SQL is compiled once: building and compiling one costs ten times what SQLite does.

    @CompiledQuery
    def _find_people(city: str) -> QuerySet[User, tuple[int, str]]:
        return User.objects.filter(city=city).values_list("pk", "nickname")

    _find_people("Shanghai")  ->  [(1, "Alice"), (2, "Bob")]

The function runs once for each connection, with placeholders instead of its values, so it can't look at them:
no `if`, no arithmetic, no slice by one. Its annotations say what the values are; a list of ids, `list[int]`,
is the value of `__in`. None (`str | None`) may be inserted, but equals nothing in a condition.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from functools import update_wrapper
from inspect import signature
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, get_type_hints
from weakref import WeakKeyDictionary

from django.db import DEFAULT_DB_ALIAS, connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, Model, QuerySet
from django.db.models.constants import OnConflict
from django.db.models.expressions import Expression
from django.db.models.sql import InsertQuery, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

Values = ParamSpec("Values")
Row = TypeVar("Row")
Built = TypeVar("Built")
Result = TypeVar("Result")
#: Type of a value -> the field that turns it into what the database takes.
FIELDS: dict[Any, Field[Any, Any]] = {
    int: models.BigIntegerField(),
    list[int]: models.BigIntegerField(),
    float: models.FloatField(),
    str: models.TextField(),
    str | None: models.TextField(),
    date: models.DateField(),
    datetime: models.DateTimeField(),
}


class Placeholder(Expression):
    """The placeholder of a value while SQL is compiled: it becomes its own parameter."""

    def __init__(self, name: str, kind: Any) -> None:
        super().__init__(output_field=kind if isinstance(kind, Field) else FIELDS[kind])
        self.name, self.is_list = name, kind == list[int]

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Any]:
        if not self.is_list:
            return "%s", [self]
        listed = "value FROM json_each(%s)" if connection.vendor == "sqlite" else "unnest(%s::bigint[])"
        return f"(SELECT {listed})", [self]

    def to_parameter(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """The value as the database takes it."""
        if self.is_list:
            return json.dumps(value) if connection.vendor == "sqlite" else value
        return self.output_field.get_db_prep_value(value, connection)


class Statement(NamedTuple):
    """A query's SQL for one connection; `parameters` are values and placeholders, in the order of the SQL."""

    connection: BaseDatabaseWrapper
    sql: str
    parameters: tuple[Any, ...]
    #: What makes results of rows, where there are any.
    rows: Any = None

    def bind(self, values: dict[str, Any]) -> tuple[Any, ...]:
        """Return the parameters with these values in place of the placeholders."""
        return tuple(
            each.to_parameter(values[each.name], self.connection) if isinstance(each, Placeholder) else each
            for each in self.parameters
        )


class Compiled(ABC, Generic[Values, Built, Result]):
    """A function that returns a query; a call with values answers with the query's result."""

    def __init__(self, build: Callable[Values, Built]) -> None:
        self._build = build
        self._names = list(signature(build).parameters)
        self._statements: WeakKeyDictionary[BaseDatabaseWrapper, Statement] = WeakKeyDictionary()
        update_wrapper(self, build)

    def __call__(self, *values: Values.args, **named: Values.kwargs) -> Result:
        connection = connections[DEFAULT_DB_ALIAS]
        statement = self._statements.get(connection)
        if statement is None:
            self._statements[connection] = statement = self._compile(connection)
        return self._run(statement, statement.bind(dict(zip(self._names, values, strict=False), **named)))

    def _compile(self, connection: BaseDatabaseWrapper) -> Statement:
        kinds: Any = get_type_hints(self._build)
        placeholders = [Placeholder(name, kinds[name]) for name in self._names]
        build: Callable[..., Built] = self._build
        return self._statement(build(*placeholders), connection)

    @abstractmethod
    def _statement(self, built: Built, connection: BaseDatabaseWrapper) -> Statement:
        """Compile what the function returned."""

    @abstractmethod
    def _run(self, statement: Statement, parameters: tuple[Any, ...]) -> Result:
        """Execute the statement."""


class CompiledQuery(Compiled[Values, QuerySet[Any, Row], list[Row]]):
    """The rows of the QuerySet that the function returns, tuples or objects; it prefetches nothing."""

    def _statement(self, built: QuerySet[Any, Row], connection: BaseDatabaseWrapper) -> Statement:
        compiler: Any = built.query.get_compiler(connection=connection)
        sql, parameters = compiler.as_sql()
        converters = compiler.get_converters([column for column, *_ in compiler.select[: compiler.col_count]])
        # The iteration of this QuerySet asks its query for a compiler, and that one for SQL and converters.
        built.query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        compiler.get_converters = lambda _: converters
        return Statement(connection, sql, tuple(parameters), rows=built)

    def _run(self, statement: Statement, parameters: tuple[Any, ...]) -> list[Row]:
        rows = statement.rows
        rows.query.get_compiler().as_sql = lambda: (statement.sql, parameters)
        return list(rows._iterable_class(rows))


#: A QuerySet and the values of its `update()`.
Change = tuple[QuerySet[Any, Any], dict[str, Any]]


class CompiledUpdate(Compiled[Values, Change, int]):
    """The number of rows that a change wrote to."""

    def _statement(self, built: Change, connection: BaseDatabaseWrapper) -> Statement:
        rows, values = built
        query: Any = rows.query.chain(UpdateQuery)
        query.add_update_values(values)
        # As QuerySet.update() does: conditions have them inline.
        query.annotations = {}
        sql, parameters = query.get_compiler(connection=connection).as_sql()
        return Statement(connection, sql, tuple(parameters))

    def _run(self, statement: Statement, parameters: tuple[Any, ...]) -> int:
        with _writing(statement.connection) as cursor:
            cursor.execute(statement.sql, parameters)
            return int(cursor.rowcount)


class CompiledInsert(Compiled[Values, Model, int | None]):
    """The primary key of a new row, as the function returns it; None where a constraint forbids it."""

    def _statement(self, built: Model, connection: BaseDatabaseWrapper) -> Statement:
        meta = built._meta
        fields = [field for field in meta.local_concrete_fields if built.pk or field is not meta.auto_field]
        for field in fields:
            _refuse_changing_default(field, getattr(built, field.attname))
        query = InsertQuery(type(built), on_conflict=OnConflict.IGNORE)
        query.insert_values(fields, [built])
        compiler: Any = query.get_compiler(connection=connection)
        compiler.returning_fields = [meta.pk]
        ((sql, parameters),) = compiler.as_sql()
        return Statement(connection, sql, tuple(parameters))

    def _run(self, statement: Statement, parameters: tuple[Any, ...]) -> int | None:
        with _writing(statement.connection) as cursor:
            cursor.execute(statement.sql, parameters)
            return next((row[0] for row in cursor.fetchall()), None)


@contextmanager
def _writing(connection: BaseDatabaseWrapper) -> Iterator[Any]:
    """A cursor whose failure lets the transaction around it only be rolled back."""
    with transaction.mark_for_rollback_on_error(connection.alias), connection.cursor() as cursor:
        yield cursor


def _refuse_changing_default(field: Field[Any, Any], value: object) -> None:
    """Raise TypeError for a value that the model makes for each row, since it would be the same for all."""
    is_made = field.has_default() and callable(field.default)
    changes = is_made or getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False)
    if changes and not isinstance(value, Placeholder):
        raise TypeError(f"{field} must be among the function's values")
