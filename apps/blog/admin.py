"""The admin pages of notes, comments, photos and dishes: staff read, hide and restore, without editing."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.cache import patch_cache_control
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from apps.adminkit import history
from apps.adminkit.change_forms import Badges
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.blog import comments
from apps.blog.display.shop_notes import MAX_STARS
from apps.blog.models import Comment, Dish, Note, Photo
from apps.blog.writing import notes, photos
from apps.shops.models import SCORES
from apps.web.in_language import columns

#: Colour of each status's badge.
STATUS_BADGES = {
    Note.Status.DRAFT: "warning",
    Note.Status.PUBLISHED: "success",
    Note.Status.DELETED: "danger",
}
#: CSS pixels of a photo in the list.
THUMBNAIL_WIDTH = 96


class ModeratedAdmin(ReadOnlyAdmin):
    """A read-only list and detail page whose actions require the permission to change the model."""

    list_filter_submit = False
    view_on_site = False
    ordering = ("-id",)

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        change = get_permission_codename("change", self.opts)
        return request.user.has_perm(f"{self.opts.app_label}.{change}")

    def apply_to_each(
        self, request: HttpRequest, rows: Iterable[Any], verb: Callable[[Any], object], what: str
    ) -> int:
        """Call `verb` with each row and record `what` in its history; returns the number of rows changed.

        Rows that are deleted by now, for which `verb` raises Http404, are skipped.
        """
        return sum(self._apply_and_record(request, row, verb, what) for row in rows)

    def _apply_and_record(
        self, request: HttpRequest, row: Model, verb: Callable[[Any], object], what: str
    ) -> bool:
        try:
            verb(row)
        except Http404:
            return False
        history.record_changed(request, row, what)
        return True


class StarsFilter(admin.SimpleListFilter):
    """Notes with so many stars; Django would read all notes for the numbers to choose from."""

    title, parameter_name = _("stars"), "rating"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        numbers = [(str(stars), str(stars)) for stars in range(1, MAX_STARS + 1)]
        return [*numbers, ("0", _("none"))]

    def queryset(self, _request: HttpRequest, rows: QuerySet[Note]) -> QuerySet[Note]:
        stars = self.value()
        if stars is None or stars not in dict(self.lookup_choices):
            return rows
        return rows.filter(rating=int(stars) or None)


@admin.register(Note)
class NoteAdmin(ModeratedAdmin):
    """Lists notes; staff can read, hide and restore them. The shop's score and feeds are updated."""

    list_display = ("heading", "person", "rating", "badge", "likes", "comments", "published_at")
    list_filter = (("status", ChoicesDropdownFilter), StarsFilter)
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
        description=_("status"),
        ordering="status",
        label=Badges({s.label: kind for s, kind in STATUS_BADGES.items()}),
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

    @display(description=_("state"), label=Badges({_("shown"): "success", _("hidden"): "danger"}))
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


@admin.register(Photo)
class PhotoAdmin(ModeratedAdmin):
    """Lists photos; staff can view them and delete them permanently."""

    list_display = ("thumbnail", "person", "of_note", "size", "created_at")
    list_filter = (("note", admin.EmptyFieldListFilter),)
    list_select_related = ("owner", "note")
    search_fields = ("owner__phone", "owner__nickname", "note__title", "=name")
    search_help_text = _("Owner, note, or the name in the picture's address")
    actions = ("destroy",)
    fields = ("large", "owner", "note", "size", "created_at")
    readonly_fields = ("large", "size")

    @display(description=_("photo"))
    def thumbnail(self, photo: Photo) -> Any:
        small = reverse("admin:blog_photo_thumbnail", args=[photo.pk])
        label = _("Photo of %(name)s") % {"name": photo.owner.nickname}
        return format_html('<img src="{}" alt="{}" width="{}" loading="lazy">', small, label, THUMBNAIL_WIDTH)

    @display(description=_("photo"))
    def large(self, photo: Photo) -> Any:
        return format_html(
            '<a href="{}"><img src="{}" alt="{}" width="320"></a>', photo.url, photo.card_url, _("Full size")
        )

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.serve_thumbnail)
        own = [path("<bigid:photo_id>/thumbnail/", view, name="blog_photo_thumbnail")]
        urls: list[URLPattern] = super().get_urls()
        return own + urls

    def serve_thumbnail(self, request: HttpRequest, photo_id: int) -> HttpResponse:
        """The photo as small as the list shows it; a photo never changes, so browsers may keep it."""
        photo = get_object_or_404(Photo, pk=photo_id)
        if not self.has_view_permission(request, photo):
            raise PermissionDenied
        drawn = photos.render_thumbnail(photo.name, 2 * THUMBNAIL_WIDTH)
        answer = HttpResponse(drawn, content_type="image/webp")
        patch_cache_control(answer, private=True, max_age=31_536_000, immutable=True)
        return answer

    @display(description=_("owner"), header=True, ordering="owner")
    def person(self, photo: Photo) -> list[str]:
        return [photo.owner.nickname, photo.owner.phone]

    @display(description=_("note"), ordering="note")
    def of_note(self, photo: Photo) -> str:
        return str(photo.note) if photo.note else "-"

    @display(description=_("size"))
    def size(self, photo: Photo) -> str:
        return f"{photo.width} x {photo.height}"

    @admin.action(description=_("Delete for good"), permissions=["moderate"])
    def destroy(self, request: HttpRequest, chosen: QuerySet[Photo]) -> None:
        gone = self.apply_to_each(request, list(chosen), notes.delete_photo, str(_("deleted")))
        self.message_user(request, ngettext("%d photo is deleted.", "%d photos are deleted.", gone) % gone)


@admin.register(Dish)
class DishAdmin(ReadOnlyAdmin):
    """Dishes to look at and to delete: the notes that named one stay, without it."""

    list_display = ("name", "shop", "recommended")
    list_select_related = ("shop",)
    search_fields = ("name", *columns("shop__name"))
    search_help_text = _("Dish or shop")
    ordering = ("-recommended", "pk")

    def has_delete_permission(self, request: HttpRequest, _row: Any = None) -> bool:
        return request.user.has_perm("blog.delete_dish")
