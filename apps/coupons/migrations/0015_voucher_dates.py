from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

INDEXES = (
    models.Index(
        condition=models.Q(("publish_at__isnull", False)), fields=["publish_at"], name="vouchers_to_publish"
    ),
    models.Index(
        condition=models.Q(("is_offered", True), ("valid_until__isnull", False)),
        fields=["valid_until"],
        name="vouchers_to_withdraw",
    ),
)


def add_indexes(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """PostgreSQL reads a table of many vouchers without holding up who writes into it."""
    options = {"concurrently": True} if schema_editor.connection.vendor == "postgresql" else {}
    for index in INDEXES:
        schema_editor.add_index(apps.get_model("coupons", "Voucher"), index, **options)


def remove_indexes(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for index in INDEXES:
        schema_editor.remove_index(apps.get_model("coupons", "Voucher"), index)


class Migration(migrations.Migration):
    # An index is not made concurrently inside a transaction.
    atomic = False

    dependencies = [
        ("coupons", "0014_publish_at"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add_indexes, remove_indexes)],
            state_operations=[migrations.AddIndex("voucher", index) for index in INDEXES],
        ),
    ]
