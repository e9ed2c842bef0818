"""What the mailbox gives to others: rights, broadcasts as targets, and its part of the reconciliation."""

from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.mailbox import broadcasts, copies, push, reconcile
from apps.mailbox.copies import BROADCASTS, HEADS, NEWEST
from apps.mailbox.display import TARGETS
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

TARGETS.register(broadcasts.BroadcastTargets(), key=BROADCAST)

parts.register(
    "mailbox.notifications",
    batches=parts.in_turn(reconcile.compare_actors, HEADS.compare, NEWEST.compare, BROADCASTS.compare),
    about="notifications: unread counts, newest lists, broadcasts, numbers of actors",
    count=Notification.objects.count,
)

rebuilding.register(HEADS, _("Numbers of unread notifications"))

WAYS.register(Way(push.deliver), key=Channel.PUSH)

EFFECTS.register(copies.publish)
EFFECTS.register(broadcasts.after_change)
