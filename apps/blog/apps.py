"""The notes app: registers its counts, feed listeners and counted pages."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.uv.page_kinds import PAGE_KINDS, PageKind

#: What each role may do with notes.
PERMISSIONS = dict.fromkeys(
    (Role.MANAGER, Role.MODERATOR),
    (*codenames("view change", "note", "photo", "comment"), *codenames("view delete", "dish")),
)


class BlogConfig(AppConfig):
    name = "apps.blog"
    verbose_name = _("Notes")

    def ready(self) -> None:
        roles.register("blog", PERMISSIONS)
        # Imported here because these need models, which Django loads after this module.
        import_module("apps.blog.profile_counts")
        import_module("apps.blog.display.albums")
        import_module("apps.blog.reportable")
        import_module("apps.blog.erasure")
        import_module("apps.blog.likes.personal")
        import_module("apps.blog.display.notification_targets")
        import_module("apps.blog.findable_notes").register()
        import_module("apps.blog.reconcile").register()
        import_module("apps.blog.feed.feed").register_listeners()
        PAGE_KINDS.register(PageKind("notes"), key="blog:hot")
        PAGE_KINDS.register(PageKind("feed"), key="blog:feed")
        PAGE_KINDS.register(PageKind("note", "note_id"), key="blog:note")
