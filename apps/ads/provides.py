"""What ads give to others: rights, settings, their share of a deleted account and of the reconciliation."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import ERASURES
from apps.adminkit import roles
from apps.adminkit.roles import Role
from apps.ads import changes, erasure, live_settings, loading, reconcile
from apps.ads.models import Campaign
from apps.ads.roles import ADVERTISER_PERMISSIONS, MANAGER_PERMISSIONS
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.queues.owed import EFFECTS
from apps.siteconfig.components.definitions import COMPONENTS

roles.PERMISSIONS.register(
    {Role.ADVERTISER: ADVERTISER_PERMISSIONS, Role.MANAGER: MANAGER_PERMISSIONS}, key="ads"
)
COMPONENTS.register(live_settings.ADS, key="ads", order=40)
ERASURES.register(erasure.ERASURE, key="ads", order=10)

parts.register(
    "ads.campaigns",
    reconcile.check,
    about="ads: budgets, charges, days, rules, counts and the index",
    count=Campaign.objects.count,
)

rebuilding.register(loading.rebuild, _("Ads and their budgets"))

EFFECTS.register(changes.write_campaign)
EFFECTS.register(changes.write_ad)
