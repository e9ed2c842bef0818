from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

INDEX = models.Index(fields=["city_en", "city_zh"], name="shops_by_city")


def add_index(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """PostgreSQL reads a table of many shops without holding up who writes into it."""
    options = {"concurrently": True} if schema_editor.connection.vendor == "postgresql" else {}
    schema_editor.add_index(apps.get_model("shops", "Shop"), INDEX, **options)


def remove_index(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.remove_index(apps.get_model("shops", "Shop"), INDEX)


class Migration(migrations.Migration):
    # An index is not made concurrently inside a transaction.
    atomic = False

    dependencies = [
        ("shops", "0016_one_index_fewer"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add_index, remove_index)],
            state_operations=[migrations.AddIndex("shop", INDEX)],
        ),
    ]
