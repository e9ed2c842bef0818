"""What rankings give to others: who may look at past weeks, and a shared page for each city."""

from apps.adminkit import roles
from apps.adminkit.roles import Role
from apps.front.documents.variants import VARIANTS, Variant
from apps.queues.owed import EFFECTS
from apps.rankings import rankings
from apps.shops.geo import location

roles.PERMISSIONS.register({Role.MANAGER: ("view_rank",)}, key="rankings")

VARIANTS.register(Variant(location.COOKIE_NAME, location.read_city, location.locate_city), key="/rankings/")
VARIANTS.register(Variant(location.COOKIE_NAME, location.read_city, location.locate_city), key="/rankings/*")

EFFECTS.register(rankings.forget_copy)
