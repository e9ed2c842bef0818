from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

INDEX = models.Index(
    condition=models.Q(("status", "published")),
    fields=["shop", "-rating", "-published_at", "-id"],
    name="blog_by_stars",
)


def add_index(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """PostgreSQL reads a table of many notes without holding up who writes into it."""
    options = {"concurrently": True} if schema_editor.connection.vendor == "postgresql" else {}
    schema_editor.add_index(apps.get_model("blog", "Note"), INDEX, **options)


def remove_index(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.remove_index(apps.get_model("blog", "Note"), INDEX)


class Migration(migrations.Migration):
    # An index is not made concurrently inside a transaction.
    atomic = False

    dependencies = [
        ("blog", "0001_squashed_0010_topics"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add_index, remove_index)],
            state_operations=[migrations.AddIndex("note", INDEX)],
        ),
    ]
