"""What the running of the site gives to others: who may close it, its settings, and what follows them."""

from apps.adminkit import roles
from apps.adminkit.roles import Role
from apps.siteconfig import connections
from apps.siteconfig.components import copies
from apps.siteconfig.components.definitions import COMPONENTS
from apps.siteconfig.maintenance import usual_texts

# The settings are for the site's operators, who are superusers.
roles.PERMISSIONS.register({Role.MANAGER: ("switch_maintenance",)}, key="siteconfig")

COMPONENTS.register(usual_texts.USUAL_TEXTS, key="maintenance", order=80)
COMPONENTS.register(connections.CONNECTIONS, key="connections", order=90)
copies.CHANGED.register(connections.apply)
