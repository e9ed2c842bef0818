from django.db import migrations

GROUP_NAME = "Advertisers"


def let_advertisers_export(apps, _schema_editor):
    """Give a group that is there already the permission that 0003 has brought."""
    group = apps.get_model("auth", "Group").objects.filter(name=GROUP_NAME).first()
    if group is None:
        return
    charges, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="ads", model="charge"
    )
    permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=charges, codename="export_charge", defaults={"name": "Can export charges"}
    )
    group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [
        ("ads", "0003_export_charges"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(let_advertisers_export, migrations.RunPython.noop)]
