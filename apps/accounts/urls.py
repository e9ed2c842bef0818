from django.urls import path, re_path

from apps.accounts import views

app_name = "accounts"
urlpatterns = [
    path("login/", views.log_in, name="login"),
    path("login/code/", views.send_code, name="send_code"),
    path("logout/", views.log_out, name="logout"),
    path("people/<bigid:person_id>/", views.person, name="person"),
    path("me/", views.profile, name="profile"),
    path("me/edit/", views.edit_profile, name="edit"),
    path("me/news/", views.show_notifications, name="news"),
    path("me/news/dot/", views.unread_dot, name="news_dot"),
    path("me/sessions/", views.sessions, name="sessions"),
    path("me/sessions/<bigid:session_id>/end/", views.end_session, name="end_session"),
    path("me/sessions/end/", views.end_all_sessions, name="end_all_sessions"),
    re_path(r"^media/avatars/(?P<name>[0-9a-f]{32})\.webp$", views.avatar, name="avatar"),
]
