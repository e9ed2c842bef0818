"""Exports every model of the app: Django looks for an app's models only in this module."""

from apps.coupons.models.catalog import (
    FlashSale as FlashSale,
)
from apps.coupons.models.catalog import (
    Reminder as Reminder,
)
from apps.coupons.models.catalog import (
    ReminderQuerySet as ReminderQuerySet,
)
from apps.coupons.models.catalog import (
    Voucher as Voucher,
)
from apps.coupons.models.catalog import (
    VoucherQuerySet as VoucherQuerySet,
)
from apps.coupons.models.orders import (
    ACTIVE_STATUSES as ACTIVE_STATUSES,
)
from apps.coupons.models.orders import (
    ORDER_TRANSITIONS as ORDER_TRANSITIONS,
)
from apps.coupons.models.orders import (
    DeadLetter as DeadLetter,
)
from apps.coupons.models.orders import (
    Gift as Gift,
)
from apps.coupons.models.orders import (
    Reconciliation as Reconciliation,
)
from apps.coupons.models.orders import (
    Redemption as Redemption,
)
from apps.coupons.models.orders import (
    Status as Status,
)
from apps.coupons.models.orders import (
    StockLedger as StockLedger,
)
from apps.coupons.models.orders import (
    VoucherOrder as VoucherOrder,
)
from apps.coupons.models.orders import (
    VoucherOrderQuerySet as VoucherOrderQuerySet,
)
from apps.coupons.models.orders import (
    WebProcess as WebProcess,
)
from apps.coupons.models.payments import (
    PAYMENT_LIFETIME as PAYMENT_LIFETIME,
)
from apps.coupons.models.payments import (
    PAYMENT_TRANSITIONS as PAYMENT_TRANSITIONS,
)
from apps.coupons.models.payments import (
    UNDECIDED_STATES as UNDECIDED_STATES,
)
from apps.coupons.models.payments import (
    Charge as Charge,
)
from apps.coupons.models.payments import (
    Payment as Payment,
)
from apps.coupons.models.payments import (
    PaymentQuerySet as PaymentQuerySet,
)
from apps.coupons.models.payments import (
    PaymentState as PaymentState,
)
from apps.coupons.models.payments import (
    SandboxCharge as SandboxCharge,
)
from apps.coupons.models.payments import (
    SandboxRefund as SandboxRefund,
)
from apps.coupons.models.webhooks import (
    Webhook as Webhook,
)
from apps.coupons.models.webhooks import (
    WebhookDelivery as WebhookDelivery,
)
from apps.coupons.models.webhooks import (
    WebhookEvent as WebhookEvent,
)
from apps.coupons.models.webhooks import (
    WebhookQuerySet as WebhookQuerySet,
)
