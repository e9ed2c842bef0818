"""What imports give to others: rights."""

from apps.adminkit import roles
from apps.adminkit.roles import Role

roles.PERMISSIONS.register({Role.MANAGER: ("view_import",)}, key="imports")
