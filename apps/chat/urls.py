"""The pages of chat."""

from django.urls import path, re_path

from apps.chat import views

app_name = "chat"
urlpatterns = [
    path("chats/", views.chat_list, name="list"),
    path("chats/new/", views.new, name="new"),
    path("chats/share/", views.share, name="share"),
    path("share/", views.share_sheet, name="share_sheet"),
    path("chats/with/<bigid:person_id>/", views.open_with, name="with"),
    re_path(r"^chats/pictures/(?P<name>[0-9a-f]{32}(?:-card)?)\.webp$", views.picture, name="picture"),
    path("chats/<bigid:chat_id>/", views.show, name="show"),
    path("chats/<bigid:chat_id>/messages/", views.post, name="post"),
    path("chats/<bigid:chat_id>/messages/<bigid:number>/delete/", views.delete, name="delete_message"),
    path("chats/<bigid:chat_id>/seen/", views.mark_seen, name="seen"),
    path("chats/<bigid:chat_id>/about/", views.about, name="about"),
    path("chats/<bigid:chat_id>/name/", views.rename, name="rename"),
    path("chats/<bigid:chat_id>/mute/", views.mute, name="mute"),
    path("chats/<bigid:chat_id>/invite/", views.invite, name="invite"),
    path("chats/<bigid:chat_id>/leave/", views.leave, name="leave"),
    path("chats/<bigid:chat_id>/report/", views.report, name="report"),
]
