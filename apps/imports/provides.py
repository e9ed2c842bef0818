"""What imports give to others: rights, and what a deleted account leaves."""

from apps.accounts.deletion.rules import ERASURES
from apps.adminkit import roles
from apps.adminkit.roles import Role
from apps.imports import erasure, running
from apps.queues.owed import EFFECTS

ERASURES.register(erasure.ERASURE, key="imports", order=20)
roles.PERMISSIONS.register({Role.MANAGER: ("view_import",)}, key="imports")

EFFECTS.register(running.enqueue)
