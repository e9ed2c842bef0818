"""URLs of the pages of notes, feeds, comments, likes and photos."""

from django.urls import URLPattern, path, re_path

from apps.blog.views import comments, lists, notes

app_name = "blog"
urlpatterns: list[URLPattern] = [
    path("feed/", lists.show_feed, name="feed"),
    path("feed/new/", lists.show_new_count, name="feed_new"),
    path("notes/", lists.show_public_list, name="hot"),
    path("notes/new/", notes.compose, name="compose"),
    path("notes/photos/", notes.upload_photo, name="send_photo"),
    path("notes/<bigid:note_id>/", notes.note, name="note"),
    path("notes/<bigid:note_id>/edit/", notes.edit, name="edit"),
    path("notes/<bigid:note_id>/publish/", notes.publish, name="publish"),
    path("notes/<bigid:note_id>/delete/", notes.delete, name="delete"),
    path("notes/<bigid:note_id>/restore/", notes.restore, name="restore"),
    path("me/notes/", lists.own_notes, name="mine"),
    path("shops/<bigid:shop_id>/notes/", lists.notes_of_shop, name="shop_notes"),
    path("shops/<bigid:shop_id>/photos/", lists.photos_of_shop, name="shop_photos"),
    path("people/<bigid:user_id>/notes/", lists.notes_of_person, name="person_notes"),
    path("topics/<str:name>/", lists.notes_of_topic, name="topic"),
    re_path(r"^media/notes/(?P<name>[0-9a-f]{32}(-card)?)\.webp$", notes.serve_photo, name="photo"),
    path("notes/<bigid:note_id>/like/", lists.like, name="like"),
    path("notes/<bigid:note_id>/comments/", comments.note_comments, name="comments"),
    path("comments/<bigid:comment_id>/", comments.thread, name="thread"),
    path("comments/<bigid:comment_id>/reply/", comments.reply, name="reply"),
    path("comments/<bigid:comment_id>/delete/", comments.delete, name="delete_comment"),
    path("comments/<bigid:comment_id>/restore/", comments.restore, name="restore_comment"),
    path("people/<bigid:user_id>/likes/", lists.liked_notes, name="liked"),
    path("recent/", lists.show_recent, name="recent"),
    path("recent/clear/", lists.clear_recent, name="clear_recent"),
]
