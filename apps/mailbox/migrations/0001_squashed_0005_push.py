import datetime
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('mailbox', '0001_initial'), ('mailbox', '0002_broadcast_progress'), ('mailbox', '0003_reports'), ('mailbox', '0004_site_kind'), ('mailbox', '0005_push')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0017_profiles_of_all_cities'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Broadcast',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title_en', models.CharField(blank=True, max_length=80, verbose_name='English title')),
                ('title_zh', models.CharField(blank=True, max_length=80, verbose_name='Chinese title')),
                ('text_en', models.TextField(blank=True, max_length=1000, verbose_name='English text')),
                ('text_zh', models.TextField(blank=True, max_length=1000, verbose_name='Chinese text')),
                ('path', models.CharField(blank=True, help_text='where the message leads, such as /sales/; empty: to its own page', max_length=200, verbose_name='page')),
                ('audience', models.CharField(choices=[('everybody', 'Everybody'), ('city', 'People in a city'), ('list', 'A list of people')], default='everybody', max_length=9, verbose_name='goes to')),
                ('city', models.CharField(blank=True, max_length=50, verbose_name='city')),
                ('people', models.JSONField(blank=True, default=list, editable=False, verbose_name='people')),
                ('written', models.PositiveIntegerField(default=0, editable=False, verbose_name='notifications written')),
                ('state', models.CharField(choices=[('draft', 'draft'), ('sent', 'sent'), ('stopped', 'stopped')], default='draft', max_length=7, verbose_name='state')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('sent_at', models.DateTimeField(blank=True, null=True, verbose_name='sent')),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='written by')),
                ('people_count', models.PositiveIntegerField(default=0, editable=False, verbose_name='people')),
            ],
            options={
                'verbose_name': 'message to people',
                'verbose_name_plural': 'messages to people',
                'permissions': [('send_broadcast', 'Can send and stop messages to people')],
                'indexes': [models.Index(fields=['state', '-sent_at'], name='mailbox_broadcasts')],
            },
        ),
        migrations.CreateModel(
            name='Notification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('like', 'Likes'), ('comment', 'Comments'), ('reply', 'Replies'), ('mention', 'Mentions'), ('follow', 'New followers'), ('order', 'Orders'), ('sale', 'Sales about to start'), ('refund', 'Refunds'), ('chat', 'Invitations to chats'), ('report', 'Reports and decisions'), ('site', 'News from the site')], max_length=8, verbose_name='kind')),
                ('target_kind', models.CharField(blank=True, max_length=16, verbose_name='about')),
                ('target_id', models.BigIntegerField(default=0, verbose_name='number')),
                ('text', models.CharField(blank=True, max_length=200, verbose_name='text')),
                ('actor_count', models.PositiveIntegerField(default=0, verbose_name='people')),
                ('recent_actors', models.CharField(blank=True, max_length=60)),
                ('latest_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='when')),
                ('read_to', models.DateTimeField(default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc), verbose_name='read to')),
                ('recipient', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='recipient')),
            ],
            options={
                'verbose_name': 'notification',
                'verbose_name_plural': 'notifications',
                'indexes': [models.Index(fields=['recipient', '-latest_at', '-id'], name='mailbox_newest'), models.Index(condition=models.Q(('read_to__lt', models.F('latest_at'))), fields=['recipient'], name='mailbox_unread'), models.Index(fields=['latest_at'], name='mailbox_by_age'), models.Index(fields=['target_kind', 'target_id'], name='mailbox_of_target')],
                'constraints': [models.UniqueConstraint(fields=('recipient', 'kind', 'target_kind', 'target_id'), name='mailbox_one_of_a_thing')],
            },
        ),
        migrations.CreateModel(
            name='Preferences',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='mailbox_preferences', serialize=False, to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('deliveries', models.JSONField(blank=True, default=dict, verbose_name='how')),
                ('quiet_from', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(23)], verbose_name='quiet from')),
                ('quiet_until', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(23)], verbose_name='until')),
                ('broadcast_read_to', models.BigIntegerField(default=0)),
            ],
            options={
                'verbose_name': 'preferences',
                'verbose_name_plural': 'preferences',
            },
        ),
        migrations.CreateModel(
            name='PushSubscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('endpoint', models.CharField(max_length=500, unique=True)),
                ('p256dh', models.CharField(max_length=100)),
                ('secret', models.CharField(max_length=40)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('login', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.accesstoken')),
            ],
        ),
        migrations.CreateModel(
            name='NotificationActor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('notification', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='actor_rows', to='mailbox.notification')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('notification', 'actor'), name='mailbox_actor_once')],
            },
        ),
    ]
