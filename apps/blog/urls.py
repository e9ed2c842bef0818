from django.contrib import admin
from django.urls import URLPattern, path, re_path

from apps.blog.views import audience, comments, composing, feed, hot, likes, lists, notes, photos, viewed

app_name = "blog"
urlpatterns: list[URLPattern] = [
    path("feed/", feed.notes, name="feed"),
    path("feed/new/", feed.new, name="feed_new"),
    path("notes/", hot.notes, name="hot"),
    path("notes/new/", composing.compose, name="compose"),
    path("notes/photos/", photos.send, name="send_photo"),
    path("notes/<bigid:note_id>/", notes.note, name="note"),
    path("notes/<bigid:note_id>/edit/", composing.edit, name="edit"),
    path("notes/<bigid:note_id>/publish/", notes.publish, name="publish"),
    path("notes/<bigid:note_id>/delete/", notes.delete, name="delete"),
    path("notes/<bigid:note_id>/restore/", notes.restore, name="restore"),
    path("me/notes/", lists.mine, name="mine"),
    path("shops/<bigid:shop_id>/notes/", lists.of_shop, name="shop_notes"),
    path("people/<bigid:user_id>/notes/", lists.of_person, name="person_notes"),
    re_path(r"^media/notes/(?P<name>[0-9a-f]{32}(-card)?)\.webp$", photos.photo, name="photo"),
    path("notes/<bigid:note_id>/like/", likes.like, name="like"),
    path("notes/<bigid:note_id>/comments/", comments.of_note, name="comments"),
    path("comments/<bigid:comment_id>/", comments.thread, name="thread"),
    path("comments/<bigid:comment_id>/reply/", comments.reply, name="reply"),
    path("comments/<bigid:comment_id>/delete/", comments.delete, name="delete_comment"),
    path("comments/<bigid:comment_id>/restore/", comments.restore, name="restore_comment"),
    path("people/<bigid:user_id>/likes/", likes.liked, name="liked"),
    path("recent/clear/", viewed.clear, name="clear_recent"),
    path("admin/visitors/", admin.site.admin_view(audience.visitors), name="visitors"),
]
