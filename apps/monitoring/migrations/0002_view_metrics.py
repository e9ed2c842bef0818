from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('monitoring', '0001_initial'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='operations',
            options={
                'permissions': [
                    ('view_redis', 'Can see the Redis page and memory'),
                    ('view_metrics', 'Can see activity, timings and log lines'),
                    ('rebuild_redis', 'Can rebuild Redis from the database'),
                ],
                'managed': False,
                'default_permissions': (),
            },
        ),
    ]
