"""What moderation gives to others: what can be reported of people, targets, gauges, rights."""

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.pending_actions import RESUMABLES, Resumable
from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.mailbox.display import TARGETS
from apps.metrics.gauges import GAUGES, Gauge
from apps.moderation import kinds, monitoring_hooks, notification_targets, people
from apps.moderation.decisions import DECISION_KIND, REPORT_KIND

roles.PERMISSIONS.register(
    dict.fromkeys((Role.MANAGER, Role.MODERATOR), (*codenames("view", "case", "decision"), "decide_report")),
    key="moderation",
)

kinds.KINDS.register(people.PersonKind(), key="person")
kinds.KINDS.register(people.AvatarKind(), key="avatar")
TARGETS.register(notification_targets.ReportTargets(), key=REPORT_KIND)
TARGETS.register(notification_targets.DecisionTargets(), key=DECISION_KIND)
ERASURES.register(people.ERASURE, key="moderation", order=20)

GAUGES.register(
    Gauge("reported things that staff has not decided", monitoring_hooks.read_open),
    key="savor_reports_open",
)
GAUGES.register(
    Gauge("age of the oldest open report", monitoring_hooks.read_oldest), key="savor_report_oldest_seconds"
)

RESUMABLES.register(Resumable(fields=("reason", "text")), key="moderation:report")
