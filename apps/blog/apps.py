from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.uv import page_kinds


class BlogConfig(AppConfig):
    name = "apps.blog"
    verbose_name = _("Notes")

    def ready(self) -> None:
        # Not at the top: these need models, and this file is read before there are any.
        import_module("apps.blog.panels")
        import_module("apps.blog.feed.feed").register_listeners()
        page_kinds.register("blog:hot", kind="notes")
        page_kinds.register("blog:feed", kind="feed")
        page_kinds.register("blog:note", kind="note", argument="note_id")
