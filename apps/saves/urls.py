"""URLs of saving, of what a person saved, and of lists."""

from django.urls import URLPattern, path

from apps.saves import views

app_name = "saves"
urlpatterns: list[URLPattern] = [
    path("me/saves/", views.saved, name="mine"),
    path("saves/undo/", views.undo, name="undo"),
    path("saves/<slug:kind>/<bigid:subject_id>/", views.save, name="save"),
    path("saves/<slug:kind>/<bigid:subject_id>/lists/", views.choose_lists, name="choose"),
    path("lists/new/", views.create_list, name="new_list"),
    path("lists/<bigid:list_id>/", views.show_list, name="list"),
    path("lists/<bigid:list_id>/edit/", views.edit_list, name="edit_list"),
    path("lists/<bigid:list_id>/share/", views.share_list, name="share_list"),
    path("lists/<bigid:list_id>/delete/", views.delete_list, name="delete_list"),
    path("lists/<bigid:list_id>/restore/", views.restore_list, name="restore_list"),
    path("lists/<bigid:list_id>/<slug:kind>/<bigid:subject_id>/", views.take, name="take"),
]
