import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('signins', '0001_initial'), ('signins', '0002_check_in_words'), ('signins', '0003_names_for_managers')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0017_profiles_of_all_cities'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PointEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', models.IntegerField(verbose_name='points')),
                ('reason', models.CharField(choices=[('sign_in', 'check-in'), ('week', '7 days in a row'), ('month', '30 days in a row'), ('make_up', 'make-up day'), ('adjustment', 'adjustment')], max_length=10, verbose_name='reason')),
                ('day', models.DateField(verbose_name='day')),
                ('note', models.CharField(blank=True, max_length=200, verbose_name='remark')),
                ('key', models.CharField(max_length=64, unique=True, verbose_name='key')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='when')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='point_entries', to=settings.AUTH_USER_MODEL, verbose_name='person')),
            ],
            options={
                'verbose_name': 'movement of points',
                'verbose_name_plural': 'movements of points',
                'indexes': [models.Index(fields=['user', '-id'], name='signins_points_of'), models.Index(fields=['user', 'reason', 'day'], name='signins_points_for')],
            },
        ),
        migrations.CreateModel(
            name='SignInMonth',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('month', models.DateField(help_text='its first day', verbose_name='month')),
                ('mask', models.PositiveIntegerField(default=0)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sign_in_months', to=settings.AUTH_USER_MODEL, verbose_name='person')),
            ],
            options={
                'verbose_name': 'month of check-ins',
                'verbose_name_plural': 'months of check-ins',
                'constraints': [models.UniqueConstraint(fields=('user', 'month'), name='signins_one_row_a_month'), models.CheckConstraint(condition=models.Q(('mask__lte', 2147483647)), name='signins_31_days')],
            },
        ),
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='sign_ins', serialize=False, to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('points', models.PositiveIntegerField(default=0, verbose_name='points')),
                ('streak', models.PositiveIntegerField(default=0, verbose_name='streak')),
                ('best', models.PositiveIntegerField(default=0, verbose_name='best streak')),
                ('total', models.PositiveIntegerField(default=0, verbose_name='days in all')),
                ('last_day', models.DateField(null=True, verbose_name='last check-in')),
            ],
            options={
                'verbose_name': 'check-in totals',
                'verbose_name_plural': 'check-in totals',
                'indexes': [models.Index(fields=['-streak', 'last_day'], name='signins_leaders')],
            },
        ),
    ]
