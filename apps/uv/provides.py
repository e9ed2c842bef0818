"""What visits give to others: who may look at the numbers of visitors."""

from apps.adminkit import roles
from apps.adminkit.roles import Role

roles.PERMISSIONS.register({Role.MANAGER: ("view_dailyvisits",)}, key="uv")
