from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

INDEX = models.Index(
    condition=models.Q(("charge__isnull", False)), fields=["charge"], name="payments_of_charges"
)


def add_index(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """PostgreSQL reads a table of many payments without holding up who writes into it."""
    options = {"concurrently": True} if schema_editor.connection.vendor == "postgresql" else {}
    schema_editor.add_index(apps.get_model("coupons", "Payment"), INDEX, **options)


def remove_index(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.remove_index(apps.get_model("coupons", "Payment"), INDEX)


class Migration(migrations.Migration):
    # An index is not made concurrently inside a transaction.
    atomic = False

    dependencies = [
        ("coupons", "0027_charges"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add_index, remove_index)],
            state_operations=[migrations.AddIndex("payment", INDEX)],
        ),
    ]
