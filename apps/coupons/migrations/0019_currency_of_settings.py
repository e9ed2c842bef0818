import apps.shops.money
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('coupons', '0018_redemptions'),
    ]

    # In the state alone: no column changes, and SQLite would copy the whole table.
    operations = [migrations.SeparateDatabaseAndState(state_operations=[
        migrations.AlterField(
            model_name='payment',
            name='amount',
            field=models.PositiveIntegerField(help_text='in minor units', verbose_name='amount'),
        ),
        migrations.AlterField(
            model_name='voucher',
            name='currency',
            field=models.CharField(default=apps.shops.money.site_currency, max_length=3),
        ),
        migrations.AlterField(
            model_name='voucher',
            name='price',
            field=models.PositiveIntegerField(help_text='what the buyer pays, in minor units', verbose_name='price'),
        ),
        migrations.AlterField(
            model_name='voucher',
            name='value',
            field=models.PositiveIntegerField(help_text='what it is worth at the shop, in minor units', verbose_name='value'),
        ),
        migrations.AlterField(
            model_name='voucherorder',
            name='currency',
            field=models.CharField(default=apps.shops.money.site_currency, max_length=3),
        ),
    ])]
