from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('monitoring', '0001_initial'), ('monitoring', '0002_view_metrics'), ('monitoring', '0003_reconcile_results'), ('monitoring', '0004_stopped_after')]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Operations',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ],
            options={
                'permissions': [('view_redis', 'Can see the Redis page and memory'), ('view_metrics', 'Can see activity, timings and log lines'), ('rebuild_redis', 'Can rebuild Redis from the database')],
                'managed': False,
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='ReconcileResult',
            fields=[
                ('part', models.CharField(max_length=100, primary_key=True, serialize=False, verbose_name='part')),
                ('ran_at', models.DateTimeField(verbose_name='ran')),
                ('clean_at', models.DateTimeField(null=True, verbose_name='last clean')),
                ('fixed', models.PositiveIntegerField(default=0, verbose_name='repaired')),
                ('left', models.PositiveIntegerField(default=0, verbose_name='differences left')),
                ('seconds', models.FloatField(default=0, verbose_name='seconds')),
                ('stopped_after', models.BigIntegerField(default=0, verbose_name='stopped after row')),
            ],
            options={
                'verbose_name': 'result of the reconciliation',
                'verbose_name_plural': 'results of the reconciliation',
                'default_permissions': (),
            },
        ),
    ]
