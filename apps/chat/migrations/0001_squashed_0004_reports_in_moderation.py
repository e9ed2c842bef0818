import apps.accounts.text_fields
import apps.chat.models
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('chat', '0001_initial'), ('chat', '0002_reports'), ('chat', '0003_voucher_cards'), ('chat', '0004_reports_in_moderation')]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Chat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', apps.accounts.text_fields.LineField(blank=True, max_length=60, verbose_name='name')),
                ('pair', models.CharField(blank=True, editable=False, max_length=40, null=True, unique=True)),
                ('last_number', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='last number')),
                ('last_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='last message')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('creator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='created by')),
            ],
            options={
                'verbose_name': 'chat',
                'verbose_name_plural': 'chats',
                'indexes': [models.Index(fields=['-last_at'], name='chat_latest')],
            },
        ),
        migrations.CreateModel(
            name='Picture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(default=apps.chat.models.new_name, editable=False, max_length=32, unique=True)),
                ('width', models.PositiveIntegerField()),
                ('height', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='owner')),
            ],
            options={
                'verbose_name': 'picture',
                'verbose_name_plural': 'pictures',
                'indexes': [models.Index(fields=['created_at'], name='chat_picture_age')],
            },
        ),
        migrations.CreateModel(
            name='ChatOpening',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', apps.accounts.text_fields.LineField(max_length=200, verbose_name='reason')),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='opened')),
                ('chat', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='chat.chat', verbose_name='chat')),
                ('opened_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='opened by')),
            ],
            options={
                'verbose_name': 'opened chat',
                'verbose_name_plural': 'opened chats',
                'permissions': [('open_chat', 'Can open chats of other people')],
                'indexes': [models.Index(fields=['chat', 'opened_by', '-opened_at'], name='chat_openings')],
            },
        ),
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('joined_number', models.PositiveBigIntegerField(default=0, editable=False)),
                ('seen_number', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='seen up to')),
                ('is_muted', models.BooleanField(default=False, verbose_name='muted')),
                ('joined_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='joined')),
                ('chat', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='chat.chat', verbose_name='chat')),
                ('partner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person')),
            ],
            options={
                'verbose_name': 'member',
                'verbose_name_plural': 'members',
                'constraints': [models.UniqueConstraint(fields=('chat', 'user'), name='chat_member_once')],
            },
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveBigIntegerField(verbose_name='number')),
                ('kind', models.CharField(choices=[('text', 'message'), ('joined', 'joined'), ('left', 'left'), ('renamed', 'renamed')], default='text', max_length=7, verbose_name='kind')),
                ('text', apps.accounts.text_fields.LinesField(blank=True, max_length=4000, verbose_name='text')),
                ('client_id', models.CharField(blank=True, max_length=64)),
                ('card_kind', models.CharField(blank=True, choices=[('note', 'note'), ('shop', 'shop'), ('sale', 'flash sale'), ('voucher', 'coupon')], max_length=7, verbose_name='card')),
                ('card_id', models.PositiveBigIntegerField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='sent')),
                ('deleted_at', models.DateTimeField(blank=True, null=True, verbose_name='deleted')),
                ('hidden_at', models.DateTimeField(blank=True, null=True, verbose_name='hidden')),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='author')),
                ('chat', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='chat.chat', verbose_name='chat')),
                ('subject', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('picture', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='message', to='chat.picture', verbose_name='picture')),
            ],
            options={
                'verbose_name': 'message',
                'verbose_name_plural': 'messages',
                'indexes': [models.Index(fields=['chat', 'author', 'number'], name='chat_message_author')],
                'constraints': [models.UniqueConstraint(fields=('chat', 'number'), name='chat_message_number'), models.UniqueConstraint(condition=models.Q(('client_id', ''), _negated=True), fields=('chat', 'author', 'client_id'), name='chat_message_once')],
            },
        ),
    ]
