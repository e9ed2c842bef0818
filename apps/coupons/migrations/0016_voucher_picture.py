from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("coupons", "0015_voucher_dates"),
    ]

    operations = [
        migrations.AddField(
            model_name="voucher",
            name="picture",
            field=models.ImageField(blank=True, null=True, upload_to="vouchers/", verbose_name="picture"),
        ),
    ]
