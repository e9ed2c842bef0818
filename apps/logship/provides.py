"""What access logs give to others: who may look at where visitors come from."""

from apps.adminkit import roles
from apps.adminkit.roles import Role

roles.PERMISSIONS.register({Role.MANAGER: ("view_cityvisits",)}, key="logship")
