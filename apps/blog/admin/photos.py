"""Admin page of photos."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.cache import patch_cache_control
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.decorators import display

from apps.blog.admin.moderation import ModeratedAdmin
from apps.blog.models import Photo
from apps.blog.writing import notes, photos

#: CSS pixels of a photo in the list.
THUMBNAIL_WIDTH = 96


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
