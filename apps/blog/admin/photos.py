"""Admin page of photos."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from apps.blog.admin.moderation import ModeratedAdmin
from apps.blog.models import Photo
from apps.blog.writing import notes


@admin.register(Photo)
class PhotoAdmin(ModeratedAdmin):
    """Lists photos; staff can view them and delete them permanently."""

    list_display = ("thumbnail", "person", "of_note", "size", "created_at")
    list_filter = (("note", admin.EmptyFieldListFilter),)
    list_select_related = ("owner", "note")
    search_fields = ("owner__phone", "owner__nickname", "note__title", "=name")
    search_help_text = _("Owner, note, or the name in the picture's address")
    actions = ("destroy",)
    fields = ("thumbnail", "owner", "note", "size", "created_at")
    readonly_fields = ("thumbnail", "size")

    @display(description=_("photo"))
    def thumbnail(self, photo: Photo) -> Any:
        return format_html(
            '<a href="{}"><img src="{}" alt="" width="96" loading="lazy"></a>', photo.url, photo.card_url
        )

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
        self.message_user(request, _("%d photos are deleted.") % gone)
