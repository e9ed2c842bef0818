import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

#: Who may do something with these until now may do it with every shop's.
APPS = ("shops", "coupons")


def keep_what_staff_may_do(apps, _schema_editor):
    """Let groups and people who have a permission on shops or coupons see every shop's rows, as before."""
    content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="shops", model="shop"
    )
    permissions = apps.get_model("auth", "Permission").objects
    see_all, _ = permissions.get_or_create(
        content_type=content_type,
        codename="see_all_shops",
        defaults={"name": "Can see the rows of every shop, not just of their own"},
    )
    known = permissions.filter(content_type__app_label__in=APPS).exclude(pk=see_all.pk)
    for group in apps.get_model("auth", "Group").objects.filter(permissions__in=known).distinct():
        group.permissions.add(see_all)
    for user in apps.get_model("accounts", "User").objects.filter(user_permissions__in=known).distinct():
        user.user_permissions.add(see_all)


class Migration(migrations.Migration):
    dependencies = [
        ("shops", "0004_names_for_managers"),
        ("accounts", "0007_session_epoch"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="shop",
            options={
                "permissions": [("see_all_shops", "Can see the rows of every shop, not just of their own")],
                "verbose_name": "shop",
                "verbose_name_plural": "shops",
            },
        ),
        migrations.CreateModel(
            name="ShopMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "owner"), ("cashier", "cashier")],
                        default="cashier",
                        max_length=7,
                        verbose_name="role",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="since"),
                ),
                (
                    "shop",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="shops.shop",
                        verbose_name="shop",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
            ],
            options={
                "verbose_name": "person of a shop",
                "verbose_name_plural": "people of shops",
                "constraints": [
                    models.UniqueConstraint(fields=("shop", "user"), name="shops_one_membership"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["owner", "cashier"])),
                        name="shops_member_role_is_known",
                    ),
                ],
            },
        ),
        migrations.RunPython(keep_what_staff_may_do, migrations.RunPython.noop),
    ]
