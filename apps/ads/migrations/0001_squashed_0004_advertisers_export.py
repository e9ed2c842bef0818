import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('ads', '0001_initial'), ('ads', '0002_advertiser_role'), ('ads', '0003_export_charges'), ('ads', '0004_advertisers_export')]

    initial = True

    dependencies = [
        ('shops', '0001_squashed_0011_shop_claims'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Advertiser',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name_en', models.CharField(blank=True, max_length=80, verbose_name='English name')),
                ('name_zh', models.CharField(blank=True, max_length=80, verbose_name='Chinese name')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('members', models.ManyToManyField(blank=True, related_name='advertisers', to=settings.AUTH_USER_MODEL, verbose_name='members')),
            ],
            options={
                'verbose_name': 'advertiser',
                'verbose_name_plural': 'advertisers',
                'permissions': [('see_all_advertisers', 'Can see the campaigns and ads of all advertisers')],
            },
        ),
        migrations.CreateModel(
            name='RefusedCharge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stream_id', models.CharField(max_length=40, unique=True, verbose_name='stream entry')),
                ('fields', models.JSONField(verbose_name='fields')),
                ('reason', models.CharField(max_length=200, verbose_name='reason')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
            ],
            options={
                'verbose_name': 'refused charge',
                'verbose_name_plural': 'refused charges',
            },
        ),
        migrations.CreateModel(
            name='Campaign',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, verbose_name='name')),
                ('pricing', models.CharField(choices=[('cpc', 'per click (CPC)'), ('cpa', 'per action (CPA)'), ('cpm', 'per thousand views (CPM)')], default='cpc', max_length=3, verbose_name='pays')),
                ('price_micros', models.BigIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000000000000000)], verbose_name='price')),
                ('budget_micros', models.BigIntegerField(validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1000000000000000)], verbose_name='budget')),
                ('daily_cap_micros', models.BigIntegerField(default=0, help_text='0: no limit a day', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1000000000000000)], verbose_name='most a day')),
                ('views_per_person', models.PositiveSmallIntegerField(default=20, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)], verbose_name='views a person and day')),
                ('begins_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='begins')),
                ('ends_at', models.DateTimeField(blank=True, null=True, verbose_name='ends')),
                ('is_on', models.BooleanField(default=True, verbose_name='on')),
                ('charged_micros', models.BigIntegerField(default=0, editable=False, verbose_name='charged')),
                ('revision', models.PositiveIntegerField(default=1, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('advertiser', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='campaigns', to='ads.advertiser', verbose_name='advertiser')),
            ],
            options={
                'verbose_name': 'campaign',
                'verbose_name_plural': 'campaigns',
                'constraints': [models.CheckConstraint(condition=models.Q(('price_micros__gt', 0)), name='campaign_has_a_price'), models.CheckConstraint(condition=models.Q(('ends_at', None), ('begins_at__lt', models.F('ends_at')), _connector='OR'), name='campaign_begins_before_it_ends'), models.CheckConstraint(condition=models.Q(('charged_micros__gte', 0), ('charged_micros__lte', models.F('budget_micros'))), name='campaign_within_its_budget')],
            },
        ),
        migrations.CreateModel(
            name='Ad',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title_en', models.CharField(blank=True, max_length=60, verbose_name='title, in English')),
                ('title_zh', models.CharField(blank=True, max_length=60, verbose_name='title, in Chinese')),
                ('text_en', models.CharField(blank=True, max_length=140, verbose_name='text, in English')),
                ('text_zh', models.CharField(blank=True, max_length=140, verbose_name='text, in Chinese')),
                ('picture', models.ImageField(blank=True, upload_to='ads/', verbose_name='picture')),
                ('link', models.CharField(blank=True, help_text='A path of this site or an https address.', max_length=200, verbose_name='link')),
                ('is_on', models.BooleanField(default=True, verbose_name='on')),
                ('views', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='views')),
                ('clicks', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='clicks')),
                ('actions', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='actions')),
                ('invalid', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='invalid')),
                ('revision', models.PositiveIntegerField(default=1, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('shop', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='shops.shop', verbose_name='shop')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ads', to='ads.campaign', verbose_name='campaign')),
            ],
            options={
                'verbose_name': 'ad',
                'verbose_name_plural': 'ads',
            },
        ),
        migrations.CreateModel(
            name='AdLocation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('city', models.CharField(blank=True, max_length=50, verbose_name='city')),
                ('area', models.CharField(blank=True, max_length=80, verbose_name='area')),
                ('ad', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='locations', to='ads.ad')),
            ],
            options={
                'verbose_name': 'place of an ad',
                'verbose_name_plural': 'places of ads',
                'constraints': [models.UniqueConstraint(fields=('ad', 'city', 'area'), name='ad_once_a_place')],
            },
        ),
        migrations.CreateModel(
            name='AdWord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.CharField(max_length=40, verbose_name='word')),
                ('views', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='views')),
                ('clicks', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='clicks')),
                ('actions', models.PositiveBigIntegerField(default=0, editable=False, verbose_name='actions')),
                ('ad', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='words', to='ads.ad')),
            ],
            options={
                'verbose_name': 'word of an ad',
                'verbose_name_plural': 'words of ads',
                'constraints': [models.UniqueConstraint(fields=('ad', 'word'), name='ad_once_a_word')],
            },
        ),
        migrations.CreateModel(
            name='Charge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('view', 'view'), ('click', 'click'), ('action', 'action')], max_length=6, verbose_name='kind')),
                ('ticket', models.CharField(max_length=22, verbose_name='ticket')),
                ('micros', models.BigIntegerField(verbose_name='amount')),
                ('is_billed', models.BooleanField(default=True, verbose_name='billed')),
                ('charged_at', models.DateTimeField(db_index=True, verbose_name='charged')),
                ('stream_ms', models.BigIntegerField()),
                ('stream_number', models.BigIntegerField()),
                ('ad', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='charges', to='ads.ad', verbose_name='ad')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='charges', to='ads.campaign', verbose_name='campaign')),
            ],
            options={
                'verbose_name': 'charge',
                'verbose_name_plural': 'charges',
                'permissions': [('export_charge', 'Can export charges')],
                'indexes': [models.Index(fields=['campaign', 'stream_ms'], name='charges_of_campaign')],
                'constraints': [models.UniqueConstraint(fields=('ticket', 'kind'), name='charged_once_a_ticket')],
            },
        ),
        migrations.CreateModel(
            name='DailyCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(verbose_name='day')),
                ('served', models.PositiveBigIntegerField(default=0, verbose_name='served')),
                ('views', models.PositiveBigIntegerField(default=0, verbose_name='views')),
                ('clicks', models.PositiveBigIntegerField(default=0, verbose_name='clicks')),
                ('actions', models.PositiveBigIntegerField(default=0, verbose_name='actions')),
                ('invalid', models.PositiveBigIntegerField(default=0, verbose_name='invalid')),
                ('spent_micros', models.BigIntegerField(default=0, verbose_name='spent')),
                ('ad', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='days', to='ads.ad')),
            ],
            options={
                'verbose_name': 'count of a day',
                'verbose_name_plural': 'counts by day',
                'indexes': [models.Index(fields=['day'], name='ad_counts_of_day')],
                'constraints': [models.UniqueConstraint(fields=('ad', 'day'), name='ad_counted_once_a_day')],
            },
        ),
    ]
