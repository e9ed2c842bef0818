from django.db import migrations, models


class Migration(migrations.Migration):
    """Apart from the rows' change: PostgreSQL refuses to index a table that its transaction has changed."""

    dependencies = [
        ('accounts', '0014_made_for_load'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='user',
            index=models.Index(condition=models.Q(('is_made_for_load', True)), fields=['id'], name='accounts_made_for_load'),
        ),
    ]
