"""The pages of chat."""

from django.urls import path, re_path

from apps.chat.views import chat, details, lists, reports, sharing

app_name = "chat"
urlpatterns = [
    path("chats/", lists.chat_list, name="list"),
    path("chats/new/", lists.new, name="new"),
    path("chats/share/", sharing.share, name="share"),
    path("share/", sharing.share_sheet, name="share_sheet"),
    path("chats/with/<bigid:person_id>/", lists.open_with, name="with"),
    re_path(r"^chats/pictures/(?P<name>[0-9a-f]{32}(?:-card)?)\.webp$", chat.picture, name="picture"),
    path("chats/<bigid:chat_id>/", chat.show, name="show"),
    path("chats/<bigid:chat_id>/messages/", chat.post, name="post"),
    path("chats/<bigid:chat_id>/messages/<bigid:number>/delete/", chat.delete, name="delete_message"),
    path("chats/<bigid:chat_id>/seen/", chat.mark_seen, name="seen"),
    path("chats/<bigid:chat_id>/about/", details.about, name="about"),
    path("chats/<bigid:chat_id>/name/", details.rename, name="rename"),
    path("chats/<bigid:chat_id>/mute/", details.mute, name="mute"),
    path("chats/<bigid:chat_id>/invite/", details.invite, name="invite"),
    path("chats/<bigid:chat_id>/leave/", details.leave, name="leave"),
    path("chats/<bigid:chat_id>/report/", reports.report, name="report"),
]
