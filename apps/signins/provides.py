"""What check-ins give to others: rights, their share of a deleted account and of the reconciliation."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.models import User
from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.queues.owed import EFFECTS
from apps.signins import check_ins, erasure, reconcile
from apps.signins import reconcile as board_rebuilding
from apps.signins.streaks import bitmaps, leaderboard

_VIEW = codenames("view", "standing", "signinmonth", "pointentry")
roles.PERMISSIONS.register({Role.MANAGER: (*_VIEW, "add_pointentry"), Role.SUPPORT: _VIEW}, key="signins")

ERASURES.register(erasure.ERASURE, key="signins", order=40)

parts.register(
    "signins.check_ins",
    batches=parts.in_turn(
        reconcile.compare_totals,
        parts.whole(bitmaps.MONTHS.check_all),
        parts.whole(leaderboard.check_today),
    ),
    about="check-ins: totals, points, months as bitmaps, the leaderboard",
    count=User.objects.count,
)

rebuilding.register(board_rebuilding.rebuild, _("Check-ins and streaks"))

EFFECTS.register(check_ins.rewrite_in_redis)
