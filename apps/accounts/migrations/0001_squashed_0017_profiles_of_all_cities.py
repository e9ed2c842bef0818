import apps.accounts.models
import apps.accounts.phones
import apps.accounts.text_fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('accounts', '0001_initial'), ('accounts', '0002_language'), ('accounts', '0003_names_for_managers'), ('accounts', '0004_blocks'), ('accounts', '0005_mentions'), ('accounts', '0006_city_of_log_in'), ('accounts', '0007_session_epoch'), ('accounts', '0008_suspensions'), ('accounts', '0009_deletions'), ('accounts', '0010_final_deletions'), ('accounts', '0011_bio_of_several_lines'), ('accounts', '0012_second_factor_of_log_ins'), ('accounts', '0013_languages_of_settings'), ('accounts', '0014_made_for_load'), ('accounts', '0015_index_of_load_people'), ('accounts', '0016_tokens_for_programs'), ('accounts', '0017_profiles_of_all_cities')]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('phone', models.CharField(max_length=16, unique=True, validators=[apps.accounts.phones.validate], verbose_name='phone')),
                ('nickname', apps.accounts.text_fields.NicknameField(default=apps.accounts.models.new_nickname, max_length=32, verbose_name='nickname')),
                ('avatar', models.ImageField(blank=True, upload_to='avatars/', verbose_name='picture')),
                ('bio', apps.accounts.text_fields.LinesField(blank=True, max_length=200, verbose_name='about me')),
                ('city', apps.accounts.text_fields.LineField(blank=True, max_length=50, verbose_name='city')),
                ('is_staff', models.BooleanField(default=False, verbose_name='staff')),
                ('is_active', models.BooleanField(default=True, verbose_name='active')),
                ('joined_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='joined')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                ('language', models.CharField(blank=True, choices=apps.accounts.models.list_languages, max_length=10, verbose_name='language')),
                ('session_epoch', models.PositiveIntegerField(default=0, editable=False)),
                ('suspended_until', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='suspended until')),
                ('suspension_reason', models.CharField(blank=True, editable=False, max_length=500)),
                ('is_made_for_load', models.BooleanField(db_default=False, default=False, editable=False, verbose_name='made for load tests')),
                ('shows_all_cities', models.BooleanField(db_default=False, default=False, verbose_name='show me all cities')),
            ],
            options={
                'verbose_name': 'person',
                'verbose_name_plural': 'people',
                'indexes': [models.Index(fields=['nickname'], name='accounts_nickname'), models.Index(condition=models.Q(('is_made_for_load', True)), fields=['id'], name='accounts_made_for_load')],
            },
        ),
        migrations.CreateModel(
            name='DailyCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('what', models.CharField(max_length=32)),
                ('subject', models.CharField(max_length=32)),
                ('count', models.PositiveIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('day', 'what', 'subject'), name='accounts_one_count_a_day')],
            },
        ),
        migrations.CreateModel(
            name='AccessToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('kind', models.CharField(choices=[('page', 'browser'), ('api', 'application'), ('prog', 'token for a program')], max_length=4, verbose_name='kind')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('last_seen_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='last seen')),
                ('expires_at', models.DateTimeField(verbose_name='expires')),
                ('revoked_at', models.DateTimeField(blank=True, null=True, verbose_name='revoked')),
                ('user_agent', models.CharField(blank=True, max_length=200, verbose_name='browser')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('city_en', models.CharField(blank=True, max_length=100, verbose_name='city, in English')),
                ('city_zh', models.CharField(blank=True, max_length=100, verbose_name='city, in Chinese')),
                ('proven_at', models.DateTimeField(editable=False, null=True)),
                ('name', apps.accounts.text_fields.LineField(blank=True, db_default='', default='', max_length=50, verbose_name='name')),
                ('scopes', models.CharField(blank=True, db_default='', default='', max_length=50, verbose_name='scopes')),
            ],
            options={
                'verbose_name': 'log-in',
                'verbose_name_plural': 'log-ins',
                'indexes': [models.Index(fields=['user', '-last_seen_at'], name='accounts_ac_user_id_5d08bd_idx'), models.Index(condition=models.Q(('revoked_at__isnull', False)), fields=['revoked_at'], name='accounts_revoked'), models.Index(fields=['expires_at'], name='accounts_ac_expires_4a0492_idx')],
            },
        ),
        migrations.CreateModel(
            name='AccountDeletion',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='deletion', serialize=False, to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('requested_at', models.DateTimeField(verbose_name='asked for')),
                ('purge_at', models.DateTimeField(db_index=True, verbose_name='removed for good from')),
                ('hidden_at', models.DateTimeField(blank=True, null=True, verbose_name='hidden')),
                ('taken_back_at', models.DateTimeField(blank=True, null=True, verbose_name='taken back')),
                ('purged_at', models.DateTimeField(blank=True, null=True, verbose_name='removed for good')),
                ('profile', models.JSONField(blank=True, default=dict)),
                ('is_final', models.BooleanField(default=False, verbose_name="a log-in doesn't take it back")),
            ],
            options={
                'verbose_name': 'deleted account',
                'verbose_name_plural': 'deleted accounts',
            },
        ),
        migrations.CreateModel(
            name='Block',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='since')),
                ('blocked', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='blocked person')),
                ('blocker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='who blocked')),
            ],
            options={
                'verbose_name': 'block',
                'verbose_name_plural': 'blocks',
                'constraints': [models.UniqueConstraint(fields=('blocker', 'blocked'), name='accounts_blocked_once'), models.CheckConstraint(condition=models.Q(('blocker', models.F('blocked')), _negated=True), name='accounts_not_oneself')],
            },
        ),
        migrations.CreateModel(
            name='Mention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=10, verbose_name='kind of text')),
                ('target_id', models.BigIntegerField(verbose_name='text')),
                ('name', models.CharField(blank=True, max_length=32, verbose_name='name in the text')),
                ('is_told', models.BooleanField(default=False, verbose_name='told')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person')),
            ],
            options={
                'verbose_name': 'mention',
                'verbose_name_plural': 'mentions',
                'constraints': [models.UniqueConstraint(fields=('kind', 'target_id', 'person'), name='accounts_mentioned_once')],
            },
        ),
    ]
