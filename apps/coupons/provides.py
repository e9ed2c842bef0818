"""What coupons give to others: targets, parts of the personal answer, what search finds, health, rights."""

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.pending_actions import RESUMABLES, Resumable
from apps.accounts.personal.parts import PAGE_PARTS
from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.coupons import erasure, importing, live_settings, monitoring_hooks, personal
from apps.coupons.buyer import gifts, notification_targets
from apps.coupons.catalog import findable_sales, sales
from apps.coupons.claims import loading
from apps.coupons.gateway import admission
from apps.coupons.importing import VoucherResource
from apps.coupons.models import Payment
from apps.coupons.orders import live_states, queued_orders, returns
from apps.coupons.payments import provider
from apps.coupons.reconcile import reconciliation
from apps.coupons.webhooks import deliveries
from apps.imports.kinds import KINDS
from apps.mailbox.display import TARGETS
from apps.metrics.gauges import GAUGES, Gauge
from apps.moderation import kinds as reportable_kinds
from apps.monitoring import rebuilding
from apps.monitoring.health import CHECKS, HealthCheck
from apps.monitoring.reconcile import parts
from apps.outbox.models import Channel
from apps.outbox.ways import WAYS, Way
from apps.queues.owed import EFFECTS
from apps.shops import findable_shops
from apps.shops.models import Shop
from apps.siteconfig.components import copies
from apps.siteconfig.components.definitions import COMPONENTS
from apps.uv.page_kinds import PAGE_KINDS, PageKind
from apps.web import csp, findable

# Rows of shops are the owner's own, or everybody's with shops.see_all_shops.
_SOLD = codenames("view add change", "voucher", "flashsale")
_LOOKED_AT = codenames("view", "voucher", "flashsale", "voucherorder", "payment", "stockledger")
roles.PERMISSIONS.register(
    {
        Role.MANAGER: (
            *_SOLD,
            *_LOOKED_AT,
            *("change_voucherorder", "redeem_order", "export_voucher", "export_voucherorder"),
            *codenames("view change", "deadletter"),
            *codenames("view add change", "reconciliation"),
        ),
        Role.SUPPORT: (*_LOOKED_AT, "change_voucherorder"),
        Role.SHOP_OWNER: (
            *_SOLD,
            *("view_voucherorder", "redeem_order", "export_voucher", "export_voucherorder"),
        ),
        Role.CASHIER: ("redeem_order",),
    },
    key="coupons",
)
COMPONENTS.register(live_settings.SALES, key="sales", order=10)
copies.CHANGED.register(admission.follow_claim_limit)

csp.SOURCES.register(provider.csp_sources)
PAGE_PARTS.register(personal.SalePart(), key="sale", order=30)
PAGE_PARTS.register(personal.RemindersPart(), key="reminded", order=35)
TARGETS.register(notification_targets.OrderTargets(), key="order")
TARGETS.register(notification_targets.SaleTargets(), key="sale")
TARGETS.register(notification_targets.WebhookTargets(), key=deliveries.TARGET_KIND)
WAYS.register(Way(deliveries.deliver, max_tries=deliveries.MAX_TRIES), key=Channel.WEBHOOK)
ERASURES.register(erasure.ERASURE, key="coupons", order=30)
PAGE_KINDS.register(PageKind("sales"), key="coupons:sales")
PAGE_KINDS.register(PageKind("sales"), key="coupons:sale")

reportable_kinds.KINDS.register(gifts.GiftWordsKind(), key="gift", order=60)
KINDS.register(VoucherResource, key=importing.VOUCHERS)
findable.KINDS.register(findable_sales.KIND, key=findable_sales.NAME, order=40)
findable.CHANGED.register(findable_sales.SHOP_LISTENER, key="coupons.sales_of_shop")
findable.CHANGED.register(
    findable.Listener(sales.follow_shops, {findable_shops.NAME}, frozenset({"is_listed"})),
    key="coupons.gates_of_shop",
)

CHECKS.register(
    HealthCheck(monitoring_hooks.check_order_queue, label=_("Accepted orders")), key="order_queue"
)
if settings.SALE_REPLICAS:
    CHECKS.register(
        HealthCheck(monitoring_hooks.check_replicas, label=_("Replicas of sales"), needed=False),
        key="sale_replicas",
    )
GAUGES.register(
    Gauge("Accepted orders on their way to SQL.", monitoring_hooks.read_queued_orders),
    key="savor_orders_queued",
)
GAUGES.register(
    Gauge("Entries with such orders, of one or several.", monitoring_hooks.read_order_stream, "state"),
    key="savor_order_stream_entries",
)
GAUGES.register(
    Gauge("Wait of the oldest accepted order.", monitoring_hooks.read_order_lag),
    key="savor_order_stream_lag_seconds",
)
GAUGES.register(
    Gauge("The last reconciliation of sales.", monitoring_hooks.read_reconciliation, "value"),
    key="savor_reconciliation",
)

# A task of their own runs those without a period every five minutes.
parts.register(
    reconciliation.PAYMENTS,
    reconciliation.check_payments,
    about="orders and their money",
    count=Payment.objects.count,
    period=None,
    order=10,
)
parts.register(
    reconciliation.QUEUES,
    reconciliation.check_queues,
    about="orders on their way to SQL, and the clocks of order ids",
    period=None,
    order=11,
)
parts.register(
    reconciliation.SALES,
    reconciliation.check_sales,
    about="flash sales: gate, window, stock, buyers, released orders",
    count=lambda: len(reconciliation.list_sales()),
    period=None,
    order=12,
)
parts.register(
    "coupons.shops",
    findable_sales.check,
    about="until when each shop has vouchers",
    count=Shop.objects.count,
    order=13,
)

rebuilding.register(loading.rebuild, _("Stock and buyers of flash sales"))
rebuilding.register(queued_orders.rebuild, _("Orders being recorded"))

RESUMABLES.register(Resumable(fixed={"wanted": "1"}), key="coupons:remind")
RESUMABLES.register(Resumable(), key="coupons:take_gift")

EFFECTS.register(returns.release_units)
EFFECTS.register(live_states.tell_again)
