import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('search', '0001_words'), ('search', '0002_index_entries')]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='BlockedWord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.CharField(max_length=40, unique=True, verbose_name='word')),
            ],
            options={
                'verbose_name': 'blocked word',
                'verbose_name_plural': 'blocked words',
                'ordering': ['word'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='IndexEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20, verbose_name='kind')),
                ('object_id', models.BigIntegerField(verbose_name='number')),
                ('version', models.PositiveBigIntegerField(default=1, verbose_name='version')),
                ('is_waiting', models.BooleanField(default=True, verbose_name='waiting')),
                ('changed_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='changed')),
            ],
            options={
                'verbose_name': 'change for the search index',
                'verbose_name_plural': 'changes for the search index',
                'indexes': [models.Index(condition=models.Q(('is_waiting', True)), fields=['changed_at'], name='search_waiting')],
                'constraints': [models.UniqueConstraint(fields=('kind', 'object_id'), name='search_one_entry_a_thing')],
            },
        ),
        migrations.CreateModel(
            name='StopWord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.CharField(max_length=40, unique=True, verbose_name='word')),
                ('is_searched', models.BooleanField(default=False, help_text='For a built-in stop word that matters here.', verbose_name='searched nevertheless')),
            ],
            options={
                'verbose_name': 'stop word',
                'verbose_name_plural': 'stop words',
                'ordering': ['word'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='SynonymGroup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('words', models.TextField(help_text='Two to eight, with commas between them: hotpot, hot pot, 火锅', max_length=400, verbose_name='words')),
            ],
            options={
                'verbose_name': 'synonyms',
                'verbose_name_plural': 'synonyms',
            },
        ),
    ]
