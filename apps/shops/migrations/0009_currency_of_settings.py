import apps.shops.money
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('shops', '0008_cities'),
    ]

    # In the state alone: no column changes, and SQLite would copy the whole table.
    operations = [migrations.SeparateDatabaseAndState(state_operations=[
        migrations.AlterField(
            model_name='shop',
            name='currency',
            field=models.CharField(default=apps.shops.money.site_currency, max_length=3),
        ),
        migrations.AlterField(
            model_name='shop',
            name='price',
            field=models.PositiveIntegerField(help_text='in minor units', verbose_name='price per person'),
        ),
    ])]
