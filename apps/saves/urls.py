"""URLs of saving, of what a person saved, and of lists."""

from django.urls import URLPattern, path

from apps.saves.views import lists, mine, saving

app_name = "saves"
urlpatterns: list[URLPattern] = [
    path("me/saves/", mine.saved, name="mine"),
    path("saves/undo/", saving.undo, name="undo"),
    path("saves/<slug:kind>/<bigid:subject_id>/", saving.save, name="save"),
    path("saves/<slug:kind>/<bigid:subject_id>/lists/", saving.choose_lists, name="choose"),
    path("lists/new/", lists.create, name="new_list"),
    path("lists/<bigid:list_id>/", lists.show, name="list"),
    path("lists/<bigid:list_id>/edit/", lists.edit, name="edit_list"),
    path("lists/<bigid:list_id>/share/", lists.share, name="share_list"),
    path("lists/<bigid:list_id>/delete/", lists.delete, name="delete_list"),
    path("lists/<bigid:list_id>/restore/", lists.restore, name="restore_list"),
    path("lists/<bigid:list_id>/<slug:kind>/<bigid:subject_id>/", lists.take, name="take"),
]
