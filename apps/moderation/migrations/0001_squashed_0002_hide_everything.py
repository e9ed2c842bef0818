import apps.accounts.text_fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('moderation', '0001_initial'), ('moderation', '0002_hide_everything')]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Case',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16, verbose_name='kind')),
                ('target_id', models.BigIntegerField(verbose_name='number')),
                ('excerpt', models.TextField(blank=True, verbose_name='what it said')),
                ('state', models.CharField(choices=[('open', 'open'), ('decided', 'decided')], default='open', max_length=7, verbose_name='state')),
                ('report_count', models.PositiveIntegerField(default=0, verbose_name='reports')),
                ('has_objection', models.BooleanField(default=False, verbose_name='objection')),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='waiting since')),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='author')),
            ],
            options={
                'verbose_name': 'report',
                'verbose_name_plural': 'reports',
                'permissions': [('decide_report', 'Can decide reports and undo decisions')],
                'indexes': [models.Index(fields=['state', '-report_count', 'opened_at'], name='moderation_queue'), models.Index(condition=models.Q(('state', 'open')), fields=['opened_at'], name='moderation_oldest')],
                'constraints': [models.UniqueConstraint(fields=('kind', 'target_id'), name='moderation_one_case_a_thing')],
            },
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_hidden', models.BooleanField(default=False, verbose_name='hide it')),
                ('sanction', models.CharField(blank=True, choices=[('', 'nothing'), ('warning', 'a warning'), ('day', 'no writing for 1 day'), ('week', 'no writing for 7 days'), ('month', 'no writing for 30 days'), ('forever', 'no writing any more'), ('ban', 'the account is switched off')], default='', max_length=7, verbose_name='for its author')),
                ('reason', apps.accounts.text_fields.LinesField(max_length=500, verbose_name='reason')),
                ('before', models.JSONField(blank=True, default=dict, editable=False)),
                ('until', models.DateTimeField(blank=True, null=True, verbose_name='until')),
                ('decided_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ('undone_at', models.DateTimeField(blank=True, null=True, verbose_name='undone')),
                ('objection', apps.accounts.text_fields.LinesField(blank=True, max_length=500, verbose_name='objection')),
                ('objected_at', models.DateTimeField(blank=True, null=True, verbose_name='objected')),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='moderation.case', verbose_name='report')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('undone_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='undone by')),
                ('hides_all', models.BooleanField(default=False, verbose_name='hide everything they wrote')),
                ('swept_at', models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                'verbose_name': 'decision',
                'verbose_name_plural': 'decisions',
                'indexes': [models.Index(fields=['case', '-id'], name='moderation_decisions'), models.Index(condition=models.Q(('hides_all', True), ('swept_at', None)), fields=['decided_at'], name='moderation_to_sweep')],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(choices=[('spam', 'Advertising or fraud'), ('insult', 'Insults or threats'), ('sexual', 'Sexual or violent'), ('illegal', 'Against the law'), ('fake', 'Made up or paid for'), ('shop', 'About another shop'), ('other', 'Something else')], max_length=7, verbose_name='reason')),
                ('text', apps.accounts.text_fields.LinesField(blank=True, max_length=500, verbose_name='in their words')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='reported')),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='moderation.case', verbose_name='report')),
                ('decision', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='reports', to='moderation.decision', verbose_name='decision')),
                ('reporter', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='reported by')),
            ],
            options={
                'verbose_name': 'complaint',
                'verbose_name_plural': 'complaints',
                'indexes': [models.Index(fields=['reporter', '-id'], name='moderation_reports_of')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('decision', None)), fields=('case', 'reporter'), name='moderation_one_open_report')],
            },
        ),
    ]
