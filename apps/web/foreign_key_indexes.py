"""A migration's operation that drops the index of a foreign key and touches nothing else of its table."""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import AlterField
from django.db.migrations.state import ProjectState


class DropForeignKeyIndex(AlterField):
    """AlterField to `db_index=False` by DROP INDEX alone.

    On PostgreSQL Django's own would drop the foreign key's constraint and check every row for it anew, with
    the table locked; on SQLite it would copy the table.
    """

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        model = from_state.apps.get_model(app_label, self.model_name)
        declared = [index.name for index in model._meta.indexes]
        # Django has no public name for the constraints of a column.
        found = schema_editor._constraint_names(  # type: ignore[attr-defined]
            model,
            [model._meta.get_field(self.name).column],
            index=True,
            unique=False,
            primary_key=False,
            exclude=declared,
        )
        for name in found:
            schema_editor.execute(f"DROP INDEX {schema_editor.quote_name(name)}")

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        field = model._meta.get_field(self.name)
        schema_editor.execute(schema_editor._create_index_sql(model, fields=[field]))  # type: ignore[attr-defined]
