from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

INDEX = models.Index(
    condition=models.Q(("status", "paid"), ("valid_until__isnull", False)),
    fields=["valid_until"],
    name="orders_to_expire",
)


def add_index(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """PostgreSQL reads a table of many orders without holding up who writes into it."""
    options = {"concurrently": True} if schema_editor.connection.vendor == "postgresql" else {}
    schema_editor.add_index(apps.get_model("coupons", "VoucherOrder"), INDEX, **options)


def remove_index(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.remove_index(apps.get_model("coupons", "VoucherOrder"), INDEX)


class Migration(migrations.Migration):
    # An index is not made concurrently inside a transaction.
    atomic = False

    dependencies = [
        ("coupons", "0012_valid_until"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add_index, remove_index)],
            state_operations=[migrations.AddIndex("voucherorder", INDEX)],
        ),
    ]
