"""What follows give to others: counts of a person, the followed people, rights."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.models import User
from apps.accounts.pending_actions import RESUMABLES, Resumable
from apps.accounts.personal.parts import PAGE_PARTS, SetPart
from apps.accounts.profiles.profile_counts import PROFILE_COUNTS
from apps.accounts.relations import blocks
from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.follows import erasure, graph, profile_counts, reconcile
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.queues.owed import EFFECTS

roles.PERMISSIONS.register(
    dict.fromkeys((Role.MANAGER, Role.MODERATOR), codenames("view", "follow", "standing")), key="follows"
)

PROFILE_COUNTS.register(profile_counts.FOLLOWERS, key="followers", order=10)
PROFILE_COUNTS.register(profile_counts.FOLLOWING, key="following", order=20)
PAGE_PARTS.register(SetPart(graph.SETS, "people"), key="followed", order=50)
blocks.BLOCKED.register(graph.end_follows_between)
ERASURES.register(erasure.ERASURE, key="follows", order=50)

parts.register(
    "follows.people",
    batches=parts.in_turn(reconcile.compare_counts, graph.SETS.compare),
    about="followers and following: counts, and the sets in Redis",
    count=User.objects.count,
)

rebuilding.register(graph.SETS, _("Who follows whom"))

RESUMABLES.register(Resumable(fixed={"followed": "1"}), key="follows:follow")

EFFECTS.register(graph.after_follow)
EFFECTS.register(graph.after_unfollow)
