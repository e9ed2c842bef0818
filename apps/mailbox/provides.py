"""What the mailbox gives to others: rights, broadcasts as targets, and its part of the reconciliation."""

from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.mailbox import push_delivery, reconcile
from apps.mailbox.broadcasts import access, sending
from apps.mailbox.copies import changes
from apps.mailbox.copies.merging import BROADCASTS
from apps.mailbox.copies.newest import NEWEST
from apps.mailbox.copies.unread import HEADS
from apps.mailbox.display.targets import TARGETS
from apps.mailbox.listing import BROADCAST
from apps.mailbox.models import Notification
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.outbox.models import Channel
from apps.outbox.ways import WAYS, Way
from apps.queues.owed import EFFECTS

roles.PERMISSIONS.register(
    {
        Role.MANAGER: (*codenames("view add change delete", "broadcast"), "send_broadcast"),
        Role.SUPPORT: ("view_broadcast",),
    },
    key="mailbox",
)

TARGETS.register(access.BroadcastTargets(), key=BROADCAST)

parts.register(
    "mailbox.notifications",
    batches=parts.in_turn(reconcile.compare_actors, HEADS.compare, NEWEST.compare, BROADCASTS.compare),
    about="notifications: unread counts, newest lists, broadcasts, numbers of actors",
    count=Notification.objects.count,
)

rebuilding.register(HEADS, _("Numbers of unread notifications"))

WAYS.register(Way(push_delivery.deliver), key=Channel.PUSH)

EFFECTS.register(changes.publish)
EFFECTS.register(sending.after_change)
