"""What search gives to others: it follows what changes, and compares its indexes."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import ERASURES
from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.queues.owed import EFFECTS
from apps.search import changes, erasure
from apps.search.index import rebuilding as index_rebuilding
from apps.search.index import reconcile as index_reconcile
from apps.search.suggest import following, indexing, words
from apps.search.suggest import reconcile as names_reconcile
from apps.search.suggest.sources import SOURCES
from apps.search.words import word_lists
from apps.web.findable import CHANGED, Listener

roles.PERMISSIONS.register(
    {
        Role.MANAGER: codenames("view add change delete", "synonymgroup", "stopword", "blockedword"),
        Role.MODERATOR: codenames("view add change delete", "blockedword"),
    },
    key="search",
)

CHANGED.register(Listener(changes.record), key="search.index")
CHANGED.register(Listener(following.record, SOURCES), key="search.names")
ERASURES.register(erasure.ERASURE, key="search", order=10)

# They run last: what others repair changes documents and names.
parts.register(
    "search.index",
    batches=index_reconcile.find_differences,
    about="which documents the search index has, and how new",
    order=90,
)
parts.register(
    "search.contents",
    batches=index_reconcile.compare_contents,
    about="what the search index holds of each document: terms, orders, facets, places, sums",
    period=index_reconcile.CONTENTS_PERIOD,
    order=91,
)
parts.register(
    "search.names", batches=names_reconcile.find_differences, about="names for suggestions", order=90
)

rebuilding.register(index_rebuilding.rebuild, _("Search"))
rebuilding.register(indexing.rebuild, _("Names that search suggests"))
rebuilding.register(words.rebuild, _("Words that search suggests"))

EFFECTS.register(following.enqueue)
EFFECTS.register(word_lists.forget_copy)
