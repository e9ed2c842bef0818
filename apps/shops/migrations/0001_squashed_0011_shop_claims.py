import apps.accounts.text_fields
import apps.shops.models
import apps.shops.money
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('shops', '0001_initial'), ('shops', '0002_imported_ratings'), ('shops', '0003_both_languages'), ('shops', '0004_names_for_managers'), ('shops', '0005_shop_members'), ('shops', '0006_filters'), ('shops', '0007_album_scores_dishes'), ('shops', '0008_cities'), ('shops', '0009_currency_of_settings'), ('shops', '0010_imported_shops'), ('shops', '0011_shop_claims')]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='City',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(help_text="Addresses, cookies and rankings keep it: it can't be changed later.", max_length=40, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9]+(-[a-z0-9]+)*\\Z', 'Write small letters, digits and single hyphens.')], verbose_name='name in addresses')),
                ('name_en', models.CharField(blank=True, max_length=50, verbose_name='English name')),
                ('name_zh', models.CharField(blank=True, max_length=50, verbose_name='Chinese name')),
                ('lat', models.FloatField(verbose_name='latitude of the centre')),
                ('lng', models.FloatField(verbose_name='longitude of the centre')),
                ('south', models.FloatField(verbose_name='southern edge')),
                ('west', models.FloatField(verbose_name='western edge')),
                ('north', models.FloatField(verbose_name='northern edge')),
                ('east', models.FloatField(verbose_name='eastern edge')),
                ('position', models.PositiveSmallIntegerField(default=0, help_text='Newcomers start in the open city with the smallest number.', verbose_name='position')),
                ('is_open', models.BooleanField(default=True, verbose_name='open')),
            ],
            options={
                'verbose_name': 'city',
                'verbose_name_plural': 'cities',
                'ordering': ['position', 'id'],
            },
        ),
        migrations.CreateModel(
            name='ShopType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(unique=True, verbose_name='name in addresses')),
                ('name_zh', models.CharField(max_length=32, verbose_name='Chinese name')),
                ('icon', models.CharField(help_text='a symbol of the icon sprite', max_length=32, verbose_name='icon')),
                ('position', models.PositiveSmallIntegerField(default=0, verbose_name='position')),
                ('name_en', models.CharField(max_length=32, verbose_name='English name')),
                ('has_dishes', models.BooleanField(default=False, help_text="Notes may name dishes or drinks, and the shop's page shows the most recommended ones.", verbose_name='people recommend dishes')),
            ],
            options={
                'verbose_name': 'shop type',
                'verbose_name_plural': 'shop types',
                'ordering': ['position', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Shop',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('phone', models.CharField(blank=True, max_length=24, verbose_name='phone')),
                ('lng', models.FloatField(validators=[django.core.validators.MinValueValidator(-180), django.core.validators.MaxValueValidator(180)], verbose_name='longitude')),
                ('lat', models.FloatField(validators=[django.core.validators.MinValueValidator(-85.05), django.core.validators.MaxValueValidator(85.05)], verbose_name='latitude')),
                ('price', models.PositiveIntegerField(help_text='in minor units', verbose_name='price per person')),
                ('currency', models.CharField(default=apps.shops.money.site_currency, max_length=3)),
                ('rating', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(50)], verbose_name='rating, in tenths')),
                ('reviews', models.PositiveIntegerField(default=0, verbose_name='notes with stars')),
                ('popularity', models.PositiveIntegerField(default=0, verbose_name='popularity')),
                ('picture', models.ImageField(blank=True, upload_to='shops/', verbose_name='picture')),
                ('is_listed', models.BooleanField(default=True, verbose_name='listed')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shops', to='shops.shoptype', verbose_name='type')),
                ('imported_rating', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(50)], verbose_name='imported rating, in tenths')),
                ('name_en', models.CharField(blank=True, max_length=80, verbose_name='English name')),
                ('name_zh', models.CharField(blank=True, max_length=80, verbose_name='Chinese name')),
                ('about_en', models.TextField(blank=True, max_length=2000, verbose_name='about, in English')),
                ('about_zh', models.TextField(blank=True, max_length=2000, verbose_name='about, in Chinese')),
                ('city_en', models.CharField(blank=True, max_length=50, verbose_name='city, in English')),
                ('city_zh', models.CharField(blank=True, max_length=50, verbose_name='city, in Chinese')),
                ('area_en', models.CharField(blank=True, max_length=80, verbose_name='area, in English')),
                ('area_zh', models.CharField(blank=True, max_length=80, verbose_name='area, in Chinese')),
                ('address_en', models.CharField(blank=True, max_length=200, verbose_name='address, in English')),
                ('address_zh', models.CharField(blank=True, max_length=200, verbose_name='address, in Chinese')),
                ('hours_en', models.CharField(blank=True, max_length=80, verbose_name='opening hours, in English')),
                ('hours_zh', models.CharField(blank=True, max_length=80, verbose_name='opening hours, in Chinese')),
                ('opens_1', models.PositiveSmallIntegerField(editable=False, null=True)),
                ('closes_1', models.PositiveSmallIntegerField(editable=False, null=True)),
                ('opens_2', models.PositiveSmallIntegerField(editable=False, null=True)),
                ('closes_2', models.PositiveSmallIntegerField(editable=False, null=True)),
                ('opens_3', models.PositiveSmallIntegerField(editable=False, null=True)),
                ('closes_3', models.PositiveSmallIntegerField(editable=False, null=True)),
                ('vouchers_until', models.DateTimeField(editable=False, null=True)),
                ('room', models.PositiveSmallIntegerField(default=0, editable=False, verbose_name='room, in tenths')),
                ('service', models.PositiveSmallIntegerField(default=0, editable=False, verbose_name='service, in tenths')),
                ('taste', models.PositiveSmallIntegerField(default=0, editable=False, verbose_name='taste, in tenths')),
                ('needs_place', models.BooleanField(db_default=False, default=False, editable=False, verbose_name='needs a place')),
                ('reference', models.CharField(blank=True, db_default='', default='', help_text='By this a file that is imported again finds the shop: node/123 of OpenStreetMap.', max_length=80, verbose_name='number in another source')),
            ],
            options={
                'verbose_name': 'shop',
                'verbose_name_plural': 'shops',
                'permissions': [('see_all_shops', 'Can see the rows of every shop, not just of their own')],
                'indexes': [models.Index(fields=['type', '-rating', '-id'], name='shops_shop_type_id_197a69_idx'), models.Index(fields=['type', '-popularity', '-id'], name='shops_shop_type_id_63aaea_idx'), models.Index(fields=['type', 'price', 'id'], name='shops_shop_type_id_4d829d_idx'), models.Index(fields=['-rating', '-id'], name='shops_shop_rating_032d0b_idx'), models.Index(fields=['-popularity', '-id'], name='shops_shop_popular_869b33_idx'), models.Index(fields=['price', 'id'], name='shops_shop_price_1f7bb2_idx'), models.Index(fields=['lat', 'lng'], name='shops_shop_lat_bc6394_idx'), models.Index(condition=models.Q(('vouchers_until__isnull', False)), fields=['vouchers_until'], name='shops_with_vouchers'), models.Index(fields=['name_en'], name='shops_by_english_name'), models.Index(fields=['name_zh'], name='shops_by_chinese_name')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('reference', ''), _negated=True), fields=('reference',), name='shops_one_reference'), models.CheckConstraint(condition=models.Q(('needs_place', False), ('is_listed', False), _connector='OR'), name='shops_listed_have_a_place', violation_error_message='Say where the shop is before it is shown on the site.')],
            },
        ),
        migrations.CreateModel(
            name='ShopClaim',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_new', models.BooleanField(default=False, verbose_name='proposes the shop')),
                ('is_owner', models.BooleanField(default=True, verbose_name='says it is theirs')),
                ('text', apps.accounts.text_fields.LinesField(blank=True, max_length=1000, verbose_name='proof')),
                ('picture', models.ImageField(blank=True, upload_to='claims/', verbose_name='picture')),
                ('state', models.CharField(choices=[('open', 'open'), ('accepted', 'accepted'), ('refused', 'refused')], default='open', max_length=8, verbose_name='state')),
                ('reason', apps.accounts.text_fields.LinesField(blank=True, max_length=500, verbose_name='reason')),
                ('decided_at', models.DateTimeField(null=True, verbose_name='decided')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='sent')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('shop', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='claims', to='shops.shop', verbose_name='shop')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person')),
            ],
            options={
                'verbose_name': 'claim of a shop',
                'verbose_name_plural': 'claims of shops',
                'permissions': [('decide_shopclaim', 'Can decide who owns a shop')],
                'indexes': [models.Index(fields=['user', 'state'], name='shops_shopc_user_id_035ee9_idx')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('shop', 'user'), name='shops_one_open_claim')],
            },
        ),
        migrations.CreateModel(
            name='ShopMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'owner'), ('cashier', 'cashier')], default='cashier', max_length=7, verbose_name='role')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='since')),
                ('shop', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='shops.shop', verbose_name='shop')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person')),
            ],
            options={
                'verbose_name': 'person of a shop',
                'verbose_name_plural': 'people of shops',
                'constraints': [models.UniqueConstraint(fields=('shop', 'user'), name='shops_one_membership'), models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'cashier'])), name='shops_member_role_is_known')],
            },
        ),
        migrations.CreateModel(
            name='ShopPhoto',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(default=apps.shops.models.new_photo_name, editable=False, max_length=32, unique=True)),
                ('caption_en', models.CharField(blank=True, max_length=80, verbose_name='English caption')),
                ('caption_zh', models.CharField(blank=True, max_length=80, verbose_name='Chinese caption')),
                ('position', models.PositiveSmallIntegerField(default=0, verbose_name='position')),
                ('width', models.PositiveIntegerField(editable=False)),
                ('height', models.PositiveIntegerField(editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('shop', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='photos', to='shops.shop', verbose_name='shop')),
            ],
            options={
                'verbose_name': 'photo of the shop',
                'verbose_name_plural': 'photos of the shop',
                'ordering': ['position', 'id'],
            },
        ),
    ]
