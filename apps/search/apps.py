"""Search and suggestions: an inverted index in Redis that follows the rows in SQL."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.web.findable import CHANGED, IMPORTED

#: What each role may do with search.
PERMISSIONS = {
    Role.MANAGER: codenames("view add change delete", "synonymgroup", "stopword", "blockedword"),
    Role.MODERATOR: codenames("view add change delete", "blockedword"),
}


class SearchConfig(AppConfig):
    name = "apps.search"
    verbose_name = _("Search")

    def ready(self) -> None:
        roles.register("search", PERMISSIONS)
        # Not at the top: it needs models, and this file is read before there are any.
        following = import_module("apps.search.suggest.following")
        changes = import_module("apps.search.index.changes")
        CHANGED.register(following.record)
        CHANGED.register(changes.record)
        IMPORTED.register(following.index_imported)
        IMPORTED.register(changes.index_imported)
        import_module("apps.search.pages.shop_choice")
        import_module("apps.search.erasure")
        import_module("apps.search.index.reconcile").register()
        import_module("apps.search.suggest.reconcile").register()
