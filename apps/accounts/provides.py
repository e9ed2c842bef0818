"""What accounts give to others: people for the mailbox and search, parts of the personal answer, rights."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import human_check, live_settings
from apps.accounts.deletion import deletions, own_data
from apps.accounts.deletion.rules import ERASURES
from apps.accounts.models import AccessToken, AccountDeletion
from apps.accounts.personal import person_cards
from apps.accounts.personal.parts import PAGE_PARTS
from apps.accounts.pictures import files
from apps.accounts.profiles import avatars, directory, findable_people
from apps.accounts.relations import blocks, contacts
from apps.accounts.sessions import token_cache
from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.front import live
from apps.mailbox import notifications, people
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.queues.owed import EFFECTS
from apps.siteconfig.components.definitions import COMPONENTS
from apps.web import csp, findable

# Rights are granted by superusers alone.
roles.PERMISSIONS.register(
    {
        Role.MANAGER: (*codenames("view add change", "user"), *codenames("view change", "accesstoken")),
        Role.SUPPORT: codenames("view", "user", "accesstoken"),
        Role.MODERATOR: ("view_user",),
    },
    key="accounts",
)
csp.SOURCES.register(human_check.csp_sources)
COMPONENTS.register(live_settings.LOGINS, key="logins", order=30)

people.use_directory(directory.AccountsDirectory())
findable.KINDS.register(findable_people.KIND, key=findable_people.NAME, order=30)

PAGE_PARTS.register(person_cards.PersonPart(), key="person", order=10)
PAGE_PARTS.register(person_cards.UnreadPart(), key="unread", order=20)

blocks.BLOCKED.register(notifications.erase_between)
blocks.BLOCKED.register(contacts.forget)
blocks.BLOCKED.register(person_cards.forget_both)
blocks.UNBLOCKED.register(person_cards.forget_both)

ERASURES.register(own_data.ERASURE, key="accounts", order=90)

parts.register(
    "accounts.logins",
    token_cache.COPY.check_all,
    about="cached log-ins: the person and whether they are valid",
    count=AccessToken.objects.live().count,
)
parts.register(
    "accounts.deletions",
    deletions.check_leftovers,
    about="deleted accounts: no row names them but those that are kept",
    count=AccountDeletion.objects.count,
)

rebuilding.register(token_cache.COPY, _("Log-ins of people"))

EFFECTS.register(person_cards.forget)
EFFECTS.register(blocks.after_block)
EFFECTS.register(blocks.after_unblock)
EFFECTS.register(files.delete_files)
EFFECTS.register(files.delete_sizes)
EFFECTS.register(files.delete_unused)
EFFECTS.register(avatars.move)
EFFECTS.register(live.close_streams)
EFFECTS.register(token_cache.mark_revoked)
