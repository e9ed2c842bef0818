from django.urls import URLPattern, path

from apps.blog.views import hot, likes

app_name = "blog"
urlpatterns: list[URLPattern] = [
    path("notes/", hot.notes, name="hot"),
    path("notes/<bigid:note_id>/like/", likes.like, name="like"),
    path("people/<bigid:user_id>/likes/", likes.liked, name="liked"),
]
