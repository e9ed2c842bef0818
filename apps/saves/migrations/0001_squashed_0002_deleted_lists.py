import apps.accounts.text_fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('saves', '0001_initial'), ('saves', '0002_deleted_lists')]

    initial = True

    dependencies = [
        ('blog', '0001_squashed_0010_topics'),
        ('shops', '0001_squashed_0011_shop_claims'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Save',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='saved')),
                ('note', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='blog.note', verbose_name='note')),
                ('shop', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='shops.shop', verbose_name='shop')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person')),
            ],
            options={
                'verbose_name': 'saved shop or note',
                'verbose_name_plural': 'saved shops and notes',
                'indexes': [models.Index(fields=['user', '-created_at', '-id'], name='saves_of_user')],
                'constraints': [models.UniqueConstraint(fields=('user', 'shop'), name='saves_shop_once'), models.UniqueConstraint(fields=('user', 'note'), name='saves_note_once'), models.CheckConstraint(condition=models.Q(('shop__isnull', True), ('note__isnull', True), _connector='XOR'), name='saves_shop_or_note')],
            },
        ),
        migrations.CreateModel(
            name='SaveList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', apps.accounts.text_fields.LineField(max_length=40, verbose_name='name')),
                ('description', apps.accounts.text_fields.LinesField(blank=True, max_length=300, verbose_name='description')),
                ('is_public', models.BooleanField(default=False, verbose_name='public')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='owner')),
                ('deleted_at', models.DateTimeField(editable=False, null=True, verbose_name='deleted')),
            ],
            options={
                'verbose_name': 'list of saved things',
                'verbose_name_plural': 'lists of saved things',
                'default_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(condition=models.Q(('deleted_at', None)), fields=('owner', 'name'), name='saves_list_name_once')],
            },
        ),
        migrations.CreateModel(
            name='ListEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('saved', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='saves.save')),
                ('list', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='saves.savelist')),
            ],
            options={
                'indexes': [models.Index(fields=['list', '-created_at', '-id'], name='saves_newest_in_list')],
                'constraints': [models.UniqueConstraint(fields=('list', 'saved'), name='saves_in_list_once')],
            },
        ),
    ]
