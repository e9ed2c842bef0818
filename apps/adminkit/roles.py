"""The prepared roles of people who work here, and which permissions each app gives to them.

Each app gives its own in its provides.py; accounts.staff.role_groups makes a group of each role.
"""

from collections.abc import Iterable, Mapping

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from apps.web.registry import Registry


class Role(TextChoices):
    """A prepared role; its value is the name of its group."""

    MANAGER = "Managers", _("Managers")
    SHOP_OWNER = "Shop owners", _("Shop owners")
    CASHIER = "Cashiers", _("Cashiers")
    MODERATOR = "Moderators", _("Moderators")
    SUPPORT = "Support", _("Support")
    ADVERTISER = "Advertisers", _("Advertisers")


#: Roles whose people don't enter the admin: the site itself has what they work with.
ROLES_WITHOUT_ADMIN = frozenset({Role.CASHIER})
#: By an app's label: the codenames of its permissions that each role has.
PERMISSIONS: Registry[Mapping[Role, Iterable[str]]] = Registry("permissions of roles")


def codenames(verbs: str, *models: str) -> tuple[str, ...]:
    """ "view change" of "note" and "photo": view_note, change_note, view_photo, change_photo."""
    return tuple(f"{verb}_{model}" for model in models for verb in verbs.split())
