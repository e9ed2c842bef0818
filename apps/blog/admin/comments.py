"""Admin page of comments."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.decorators import display

from apps.blog import comments
from apps.blog.admin.moderation import ModeratedAdmin
from apps.blog.models import Comment


@admin.register(Comment)
class CommentAdmin(ModeratedAdmin):
    """Lists comments; staff can read, hide and restore them. The note's comment count is updated."""

    list_display = ("words", "person", "note", "state", "created_at")
    list_filter = (("deleted_at", admin.EmptyFieldListFilter),)
    list_select_related = ("author", "note")
    search_fields = ("author__phone", "author__nickname", "text")
    search_help_text = _("Author or words")
    actions = ("hide", "restore")
    fields = ("author", "note", "parent", "text", "created_at", "deleted_at", "deleted_by")

    @display(description=_("comment"))
    def words(self, comment: Comment) -> str:
        return str(comment)

    @display(description=_("author"), header=True, ordering="author")
    def person(self, comment: Comment) -> list[str]:
        return [comment.author.nickname, comment.author.phone]

    @display(description=_("state"), label={_("shown"): "success", _("hidden"): "danger"})
    def state(self, comment: Comment) -> Any:
        return _("shown") if comment.deleted_at is None else _("hidden")

    @admin.action(description=_("Hide from everybody"), permissions=["moderate"])
    def hide(self, request: HttpRequest, chosen: QuerySet[Comment]) -> None:
        hidden = self.apply_to_each(request, chosen.visible(), comments.delete, str(_("hidden")))  # type: ignore[attr-defined]
        self.message_user(
            request, ngettext("%d comment is hidden.", "%d comments are hidden.", hidden) % hidden
        )

    @admin.action(description=_("Bring back"), permissions=["moderate"])
    def restore(self, request: HttpRequest, chosen: QuerySet[Comment]) -> None:
        hidden = chosen.filter(deleted_at__isnull=False)
        restored = self.apply_to_each(request, hidden, comments.restore, str(_("brought back")))
        self.message_user(
            request, ngettext("%d comment is back.", "%d comments are back.", restored) % restored
        )
