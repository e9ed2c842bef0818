import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('follows', '0001_initial'), ('follows', '0002_names_for_managers')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0017_profiles_of_all_cities'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Follow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='since')),
                ('followee', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='follower_rows', to=settings.AUTH_USER_MODEL, verbose_name='followed person')),
                ('follower', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='following_rows', to=settings.AUTH_USER_MODEL, verbose_name='follower')),
            ],
            options={
                'verbose_name': 'follow',
                'verbose_name_plural': 'follows',
                'indexes': [models.Index(fields=['followee', '-id'], name='follows_followers'), models.Index(fields=['follower', '-id'], name='follows_following')],
                'constraints': [models.UniqueConstraint(fields=('follower', 'followee'), name='follows_once'), models.CheckConstraint(condition=models.Q(('follower', models.F('followee')), _negated=True), name='follows_not_oneself')],
            },
        ),
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('followers', models.PositiveIntegerField(default=0, verbose_name='followers')),
                ('following', models.PositiveIntegerField(default=0, verbose_name='following')),
            ],
            options={
                'verbose_name': 'standing',
                'verbose_name_plural': 'standings',
                'indexes': [models.Index(fields=['-followers', 'user'], name='follows_popular')],
            },
        ),
    ]
