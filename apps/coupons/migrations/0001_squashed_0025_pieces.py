import apps.shops.money
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('coupons', '0001_initial'), ('coupons', '0002_refunds'), ('coupons', '0003_redeem_permission'), ('coupons', '0004_export_permissions'), ('coupons', '0005_reminders'), ('coupons', '0006_payments'), ('coupons', '0007_expired_payments'), ('coupons', '0008_both_languages'), ('coupons', '0009_names_for_managers'), ('coupons', '0010_sale_lost_at'), ('coupons', '0011_order_ids_of_loads'), ('coupons', '0012_valid_until'), ('coupons', '0013_orders_to_expire'), ('coupons', '0014_publish_at'), ('coupons', '0015_voucher_dates'), ('coupons', '0016_voucher_picture'), ('coupons', '0017_shops_with_vouchers'), ('coupons', '0018_redemptions'), ('coupons', '0019_currency_of_settings'), ('coupons', '0020_provider_reference'), ('coupons', '0021_web_processes'), ('coupons', '0022_made_for_load'), ('coupons', '0023_webhooks'), ('coupons', '0024_gifts'), ('coupons', '0025_pieces')]

    initial = True

    dependencies = [
        ('outbox', '0001_squashed_0003_push'),
        ('shops', '0001_squashed_0011_shop_claims'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DeadLetter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stream', models.CharField(max_length=100, verbose_name='stream')),
                ('entry_id', models.CharField(max_length=40, verbose_name='entry')),
                ('order_id', models.BigIntegerField(db_index=True, null=True, verbose_name='order')),
                ('fields', models.JSONField()),
                ('reason', models.CharField(max_length=500, verbose_name='reason')),
                ('deliveries', models.PositiveIntegerField(verbose_name='deliveries')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='set aside')),
                ('replayed_at', models.DateTimeField(blank=True, null=True, verbose_name='replayed')),
            ],
            options={
                'verbose_name': 'dead letter',
                'verbose_name_plural': 'dead letters',
                'constraints': [models.UniqueConstraint(fields=('stream', 'entry_id'), name='one_dead_letter_per_entry')],
            },
        ),
        migrations.CreateModel(
            name='Voucher',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('price', models.PositiveIntegerField(help_text='what the buyer pays, in minor units', verbose_name='price')),
                ('value', models.PositiveIntegerField(help_text='what it is worth at the shop, in minor units', verbose_name='value')),
                ('currency', models.CharField(default=apps.shops.money.site_currency, max_length=3)),
                ('is_offered', models.BooleanField(default=True, verbose_name='offered')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('shop', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='vouchers', to='shops.shop', verbose_name='shop')),
                ('title_en', models.CharField(blank=True, max_length=80, verbose_name='title, in English')),
                ('title_zh', models.CharField(blank=True, max_length=80, verbose_name='title, in Chinese')),
                ('subtitle_en', models.CharField(blank=True, max_length=120, verbose_name='subtitle, in English')),
                ('subtitle_zh', models.CharField(blank=True, max_length=120, verbose_name='subtitle, in Chinese')),
                ('rules_en', models.TextField(blank=True, max_length=2000, verbose_name='rules of use, in English')),
                ('rules_zh', models.TextField(blank=True, max_length=2000, verbose_name='rules of use, in Chinese')),
                ('valid_until', models.DateTimeField(blank=True, help_text='Who paid and did not use it by then gets the money back. Empty: it never expires.', null=True, verbose_name='valid until')),
                ('publish_at', models.DateTimeField(blank=True, help_text='Until then only staff sees it. Empty: it is offered, or not, as marked.', null=True, verbose_name='offered from')),
                ('picture', models.ImageField(blank=True, null=True, upload_to='vouchers/', verbose_name='picture')),
                ('per_person', models.PositiveSmallIntegerField(db_default=1, default=1, help_text='How many one person may have, used ones too. Of a flash sale everybody gets one.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(20)], verbose_name='for each person')),
            ],
            options={
                'verbose_name': 'voucher',
                'verbose_name_plural': 'vouchers',
                'permissions': [('export_voucher', 'Can export vouchers')],
                'indexes': [models.Index(condition=models.Q(('publish_at__isnull', False)), fields=['publish_at'], name='vouchers_to_publish'), models.Index(condition=models.Q(('is_offered', True), ('valid_until__isnull', False)), fields=['valid_until'], name='vouchers_to_withdraw')],
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('order_id', models.BigIntegerField(db_index=True, verbose_name='order')),
                ('provider', models.CharField(max_length=20, verbose_name='provider')),
                ('reference', models.CharField(max_length=32, unique=True, verbose_name='reference')),
                ('subject', models.CharField(max_length=160, verbose_name='for')),
                ('amount', models.PositiveIntegerField(help_text='in minor units', verbose_name='amount')),
                ('currency', models.CharField(max_length=3)),
                ('state', models.CharField(choices=[('begun', 'begun'), ('expired', 'expired'), ('succeeded', 'succeeded'), ('failed', 'failed'), ('refunding', 'refunding'), ('refunded', 'money returned')], default='begun', max_length=9, verbose_name='state')),
                ('reason', models.CharField(blank=True, max_length=200, verbose_name='reason')),
                ('trouble', models.CharField(blank=True, max_length=200, verbose_name='trouble')),
                ('begun_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='begun')),
                ('returned_at', models.DateTimeField(blank=True, null=True, verbose_name='buyer came back')),
                ('finished_at', models.DateTimeField(blank=True, null=True, verbose_name='succeeded or failed')),
                ('settled_at', models.DateTimeField(blank=True, null=True, verbose_name='settled')),
                ('refund_asked_at', models.DateTimeField(blank=True, null=True, verbose_name='refund asked for')),
                ('refunded_at', models.DateTimeField(blank=True, null=True, verbose_name='money returned')),
                ('due_at', models.DateTimeField(blank=True, null=True, verbose_name='looked at next')),
                ('tries', models.PositiveSmallIntegerField(default=0, verbose_name='tries')),
                ('provider_reference', models.CharField(blank=True, max_length=255, verbose_name='reference at the provider')),
            ],
            options={
                'verbose_name': 'payment',
                'verbose_name_plural': 'payments',
                'indexes': [models.Index(condition=models.Q(('due_at__isnull', False)), fields=['due_at'], name='payments_due')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'begun')), fields=('order_id',), name='one_begun_payment_per_order'), models.CheckConstraint(condition=models.Q(('state__in', ['begun', 'expired', 'succeeded', 'failed', 'refunding', 'refunded'])), name='payment_state_is_known')],
            },
        ),
        migrations.CreateModel(
            name='Reconciliation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ran_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now, verbose_name='ran')),
                ('sales', models.PositiveIntegerField(verbose_name='sales looked at')),
                ('violations', models.JSONField(default=list, verbose_name='violations')),
                ('fixed', models.PositiveIntegerField(default=0, verbose_name='repaired')),
                ('seconds', models.FloatField(verbose_name='seconds')),
                ('payments', models.PositiveIntegerField(db_default=0, default=0, verbose_name='payments looked at')),
            ],
            options={
                'verbose_name': 'reconciliation',
                'verbose_name_plural': 'reconciliations',
            },
        ),
        migrations.CreateModel(
            name='SandboxCharge',
            fields=[
                ('reference', models.CharField(max_length=32, primary_key=True, serialize=False)),
                ('subject', models.CharField(max_length=160)),
                ('amount', models.PositiveIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('return_url', models.CharField(max_length=500)),
                ('state', models.CharField(choices=[('open', 'Open'), ('paid', 'Paid'), ('declined', 'Declined'), ('refunded', 'Refunded')], default='open', max_length=8)),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('refunds_asked', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=500, verbose_name='address')),
                ('secret', models.CharField(editable=False, max_length=80)),
                ('events', models.CharField(max_length=200, verbose_name='events')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('failing_since', models.DateTimeField(blank=True, editable=False, null=True)),
                ('failures', models.PositiveIntegerField(default=0, editable=False)),
                ('rests_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('switched_off_at', models.DateTimeField(blank=True, null=True, verbose_name='switched off')),
                ('shop', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='shops.shop', verbose_name='shop')),
            ],
            options={
                'verbose_name': 'webhook',
                'verbose_name_plural': 'webhooks',
            },
        ),
        migrations.CreateModel(
            name='WebProcess',
            fields=[
                ('name', models.CharField(max_length=300, primary_key=True, serialize=False)),
                ('seen_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='FlashSale',
            fields=[
                ('voucher', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='sale', serialize=False, to='coupons.voucher', verbose_name='voucher')),
                ('stock_total', models.PositiveIntegerField(verbose_name='units')),
                ('stock_left', models.PositiveIntegerField(editable=False, verbose_name='units left')),
                ('begins_at', models.DateTimeField(db_index=True, verbose_name='begins')),
                ('ends_at', models.DateTimeField(db_index=True, verbose_name='ends')),
                ('epoch', models.PositiveIntegerField(default=0, editable=False)),
                ('revision', models.PositiveIntegerField(default=0, editable=False)),
                ('lost_at', models.DateTimeField(editable=False, null=True)),
                ('id_second', models.PositiveIntegerField(default=0, editable=False)),
                ('is_made_for_load', models.BooleanField(db_default=False, default=False, editable=False)),
            ],
            options={
                'verbose_name': 'flash sale',
                'verbose_name_plural': 'flash sales',
                'constraints': [models.CheckConstraint(condition=models.Q(('begins_at__lt', models.F('ends_at'))), name='sale_begins_before_it_ends'), models.CheckConstraint(condition=models.Q(('stock_left__lte', models.F('stock_total'))), name='sale_left_within_total'), models.CheckConstraint(condition=models.Q(('stock_left__gte', 0)), name='sale_never_oversold')],
            },
        ),
        migrations.CreateModel(
            name='VoucherOrder',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False, verbose_name='number')),
                ('token', models.CharField(max_length=64)),
                ('status', models.CharField(choices=[('queued', 'queued'), ('unpaid', 'to pay'), ('paid', 'paid'), ('used', 'used'), ('cancelled', 'cancelled'), ('refunded', 'refunded')], default='unpaid', max_length=9, verbose_name='status')),
                ('price', models.PositiveIntegerField(verbose_name='price')),
                ('currency', models.CharField(default=apps.shops.money.site_currency, max_length=3)),
                ('epoch', models.PositiveIntegerField(default=0, verbose_name='round')),
                ('accepted_at', models.DateTimeField(verbose_name='accepted')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='recorded')),
                ('pay_deadline', models.DateTimeField(verbose_name='to be paid by')),
                ('paid_at', models.DateTimeField(blank=True, null=True, verbose_name='paid')),
                ('cancelled_at', models.DateTimeField(blank=True, null=True, verbose_name='cancelled')),
                ('used_at', models.DateTimeField(blank=True, null=True, verbose_name='used')),
                ('refunded_at', models.DateTimeField(blank=True, null=True, verbose_name='refunded')),
                ('redeem_code', models.CharField(max_length=24, unique=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='orders', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('voucher', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='orders', to='coupons.voucher', verbose_name='voucher')),
                ('valid_until', models.DateTimeField(blank=True, null=True, verbose_name='valid until')),
                ('holder', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='gifts', to=settings.AUTH_USER_MODEL, verbose_name='given to')),
                ('piece', models.PositiveSmallIntegerField(db_default=0, default=0, editable=False, verbose_name='piece')),
            ],
            options={
                'verbose_name': 'order',
                'verbose_name_plural': 'orders',
                'permissions': [('redeem_order', 'Can redeem coupons in the shop'), ('export_voucherorder', "Can export orders, with people's phone numbers")],
                'indexes': [models.Index(fields=['user', '-id'], name='coupons_vou_user_id_48dc26_idx'), models.Index(fields=['voucher', 'status'], name='coupons_vou_voucher_0cc9a9_idx'), models.Index(condition=models.Q(('status', 'unpaid')), fields=['pay_deadline'], name='orders_to_be_paid'), models.Index(fields=['created_at'], name='coupons_vou_created_407593_idx'), models.Index(condition=models.Q(('status', 'paid'), ('valid_until__isnull', False)), fields=['valid_until'], name='orders_to_expire'), models.Index(condition=models.Q(('holder__isnull', False)), fields=['holder'], name='orders_given_away')],
                'constraints': [models.UniqueConstraint(fields=('user', 'voucher', 'token'), name='one_order_per_request'), models.CheckConstraint(condition=models.Q(('status__in', ['unpaid', 'paid', 'used', 'cancelled', 'refunded'])), name='order_status_is_known'), models.UniqueConstraint(condition=models.Q(('status__in', ('unpaid', 'paid', 'used'))), fields=('user', 'voucher', 'piece'), name='one_active_order_per_voucher')],
            },
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.CharField(choices=[('order.paid', 'an order is paid'), ('order.used', 'a coupon is used in the shop'), ('order.refunded', 'an order is refunded'), ('order.expired', 'a coupon expired unused, and is refunded'), ('test', 'a test')], max_length=20, verbose_name='event')),
                ('order_id', models.BigIntegerField(blank=True, null=True, verbose_name='order')),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='status')),
                ('milliseconds', models.PositiveIntegerField(blank=True, null=True, verbose_name='milliseconds')),
                ('tried_at', models.DateTimeField(blank=True, null=True, verbose_name='last try')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('message', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='webhook_delivery', to='outbox.message', verbose_name='message')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='coupons.webhook', verbose_name='webhook')),
            ],
            options={
                'verbose_name': 'delivery of a webhook',
                'verbose_name_plural': 'deliveries of webhooks',
                'indexes': [models.Index(fields=['webhook', '-id'], name='webhook_deliveries')],
            },
        ),
        migrations.CreateModel(
            name='Reminder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('told_for', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('sale', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reminders', to='coupons.flashsale')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reminders', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'sale reminder',
                'verbose_name_plural': 'sale reminders',
                'constraints': [models.UniqueConstraint(fields=('sale', 'user'), name='one_reminder_per_sale')],
            },
        ),
        migrations.CreateModel(
            name='Gift',
            fields=[
                ('order', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='gift', serialize=False, to='coupons.voucherorder', verbose_name='order')),
                ('number', models.CharField(max_length=22, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='link made')),
                ('expires_at', models.DateTimeField(verbose_name='link ends')),
                ('taken_at', models.DateTimeField(blank=True, null=True, verbose_name='taken')),
            ],
            options={
                'verbose_name': 'gift',
                'verbose_name_plural': 'gifts',
            },
        ),
        migrations.CreateModel(
            name='Redemption',
            fields=[
                ('order', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='redemption', serialize=False, to='coupons.voucherorder', verbose_name='order')),
                ('token', models.CharField(blank=True, max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='when')),
                ('cashier', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='who redeemed')),
            ],
            options={
                'verbose_name': 'redemption',
                'verbose_name_plural': 'redemptions',
                'indexes': [models.Index(fields=['cashier', '-created_at'], name='redemptions_of_cashier')],
            },
        ),
        migrations.CreateModel(
            name='StockLedger',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('return', 'returned by a cancelled order'), ('refund', 'returned by a refunded order')], default='return', max_length=8, verbose_name='kind')),
                ('units', models.PositiveSmallIntegerField(default=1, verbose_name='count')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='when')),
                ('order', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to='coupons.voucherorder', verbose_name='order')),
                ('sale', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to='coupons.flashsale', verbose_name='flash sale')),
            ],
            options={
                'verbose_name': 'stock movement',
                'verbose_name_plural': 'stock movements',
                'constraints': [models.UniqueConstraint(fields=('order',), name='one_return_per_order')],
            },
        ),
    ]
