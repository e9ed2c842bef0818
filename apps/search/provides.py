"""What search gives to others: it follows what changes, and compares its indexes."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import ERASURES
from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.queues.owed import EFFECTS
from apps.search import changes, erasure
from apps.search.index import facts
from apps.search.index import rebuilding as index_rebuilding
from apps.search.suggest import indexing, words
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
CHANGED.register(Listener(indexing.record_change, SOURCES), key="search.names")
ERASURES.register(erasure.ERASURE, key="search", order=10)

# They run last: what others repair changes documents and names.
parts.register(
    "search.index",
    facts.compare_counts,
    about="how many documents the search index has, as a whole and by facet",
    order=90,
)
parts.register("search.names", indexing.compare_counts, about="how many names are suggested", order=90)

rebuilding.register(index_rebuilding.rebuild, _("Search"))
rebuilding.register(indexing.rebuild, _("Names that search suggests"))
rebuilding.register(words.rebuild, _("Words that search suggests"))

EFFECTS.register(indexing.send_updates)
EFFECTS.register(word_lists.forget_copy)
