from django.db import migrations, models


def mark_known_sales(apps, _schema_editor):
    FlashSale = apps.get_model("coupons", "FlashSale")
    lab = FlashSale.objects.filter(voucher__shop__name_en="Load lab", voucher__shop__is_listed=False)
    FlashSale.objects.filter(pk__in=list(lab.values_list("pk", flat=True))).update(is_made_for_load=True)


class Migration(migrations.Migration):

    dependencies = [
        ('coupons', '0021_web_processes'),
    ]

    operations = [
        migrations.AddField(
            model_name='flashsale',
            name='is_made_for_load',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.RunPython(mark_known_sales, migrations.RunPython.noop),
    ]
