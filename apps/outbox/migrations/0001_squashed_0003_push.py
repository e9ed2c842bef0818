import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('outbox', '0001_messages'), ('outbox', '0002_webhooks'), ('outbox', '0003_push')]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200, unique=True, verbose_name='key')),
                ('channel', models.CharField(choices=[('sms', 'text message'), ('email', 'e-mail'), ('hook', 'webhook'), ('push', 'push to a browser')], max_length=5, verbose_name='channel')),
                ('to', models.CharField(max_length=254, verbose_name='to')),
                ('subject', models.CharField(blank=True, max_length=200, verbose_name='subject')),
                ('text', models.TextField(max_length=2000, verbose_name='text')),
                ('priority', models.PositiveSmallIntegerField(choices=[(1, 'high'), (2, 'normal'), (3, 'low')], default=2, verbose_name='priority')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('sent', 'sent'), ('failed', 'failed')], default='waiting', max_length=7, verbose_name='state')),
                ('until', models.DateTimeField(blank=True, null=True, verbose_name='worth sending until')),
                ('attempts', models.PositiveSmallIntegerField(default=0, verbose_name='attempts')),
                ('next_try_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='next try')),
                ('claimed_until', models.DateTimeField(blank=True, null=True)),
                ('last_error', models.CharField(blank=True, max_length=500, verbose_name='last error')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='written')),
                ('sent_at', models.DateTimeField(blank=True, null=True, verbose_name='sent')),
            ],
            options={
                'verbose_name': 'message',
                'verbose_name_plural': 'outbox',
                'permissions': [('send_again', 'Can send failed messages again')],
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['priority', 'next_try_at'], name='outbox_to_be_sent'), models.Index(fields=['state', '-id'], name='outbox_by_state')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'sent', 'failed'])), name='outbox_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('sent_at__isnull', False), ('state', 'sent')), models.Q(('state', 'sent'), _negated=True), _connector='OR'), name='outbox_sent_has_its_time')],
            },
        ),
    ]
