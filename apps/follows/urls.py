from django.urls import path

from apps.follows import views

app_name = "follows"
urlpatterns = [
    path("people/", views.suggested, name="suggestions"),
    path("people/<bigid:person_id>/follow/", views.follow, name="follow"),
    path("people/<bigid:person_id>/followers/", views.followers, name="followers"),
    path("people/<bigid:person_id>/following/", views.following, name="following"),
    path("people/<bigid:person_id>/common/", views.common_follows, name="common"),
]
