from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("coupons", "0013_orders_to_expire"),
    ]

    operations = [
        migrations.AddField(
            model_name="voucher",
            name="publish_at",
            field=models.DateTimeField(
                blank=True,
                help_text="Until then only staff sees it. Empty: it is offered, or not, as marked.",
                null=True,
                verbose_name="offered from",
            ),
        ),
    ]
