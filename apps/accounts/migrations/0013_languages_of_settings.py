import apps.accounts.models
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0012_second_factor_of_log_ins'),
    ]

    # In the state alone: no column changes, and SQLite would copy the whole table.
    operations = [migrations.SeparateDatabaseAndState(state_operations=[
        migrations.AlterField(
            model_name='user',
            name='language',
            field=models.CharField(blank=True, choices=apps.accounts.models.list_languages, max_length=10, verbose_name='language'),
        ),
    ])]
