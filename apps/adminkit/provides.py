"""What the building blocks of the admin give to others: who may read the audit log of Django's admin."""

from apps.adminkit import roles
from apps.adminkit.roles import Role

roles.PERMISSIONS.register({Role.MANAGER: ("view_logentry",)}, key="admin")
