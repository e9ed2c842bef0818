"""Admin page of notes."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from apps.blog.admin.moderation import ModeratedAdmin
from apps.blog.models import Note
from apps.blog.writing import notes
from apps.shops.models import SCORES
from apps.web.in_language import columns

#: Colour of each status's badge.
STATUS_BADGES = {
    Note.Status.DRAFT: "warning",
    Note.Status.PUBLISHED: "success",
    Note.Status.DELETED: "danger",
}


@admin.register(Note)
class NoteAdmin(ModeratedAdmin):
    """Lists notes; staff can read, hide and restore them. The shop's score and feeds are updated."""

    list_display = ("heading", "person", "rating", "badge", "likes", "comments", "published_at")
    list_filter = (("status", ChoicesDropdownFilter), "rating")
    list_select_related = ("author", "shop")
    search_fields = ("title", "author__phone", "author__nickname", *columns("shop__name"))
    search_help_text = _("Title, author or shop")
    actions = ("hide", "restore")
    fields = (
        ("author", "shop"),
        "title",
        "text",
        "pictures",
        ("rating", "status"),
        (*SCORES, "dishes"),
        ("likes", "comments"),
        ("created_at", "updated_at"),
        ("published_at", "deleted_at"),
    )
    readonly_fields = ("pictures",)

    @display(description=_("note"), header=True, ordering="title")
    def heading(self, note: Note) -> list[str]:
        return [note.title or note.text[:60] or str(note), note.shop.name]

    @display(description=_("author"), header=True, ordering="author")
    def person(self, note: Note) -> list[str]:
        return [note.author.nickname, note.author.phone]

    @display(
        description=_("status"), ordering="status", label={s.label: kind for s, kind in STATUS_BADGES.items()}
    )
    def badge(self, note: Note) -> Any:
        return Note.Status(note.status).label

    @display(description=_("photos"))
    def pictures(self, note: Note) -> Any:
        pictures = [
            (photo.url, photo.card_url, _("Photo %(number)d") % {"number": number})
            for number, photo in enumerate(note.photos.all(), start=1)
        ]
        return format_html_join(" ", '<a href="{}"><img src="{}" alt="{}" width="120"></a>', pictures) or "-"

    @admin.action(description=_("Hide from everybody"), permissions=["moderate"])
    def hide(self, request: HttpRequest, chosen: QuerySet[Note]) -> None:
        hidden = self.apply_to_each(request, chosen, notes.hide, str(_("hidden")))
        self.message_user(request, ngettext("%d note is hidden.", "%d notes are hidden.", hidden) % hidden)

    @admin.action(description=_("Bring back"), permissions=["moderate"])
    def restore(self, request: HttpRequest, chosen: QuerySet[Note]) -> None:
        restored = self.apply_to_each(request, chosen, notes.restore, str(_("brought back")))
        self.message_user(request, ngettext("%d note is back.", "%d notes are back.", restored) % restored)
