from django.urls import path

from apps.rankings import views

app_name = "rankings"
urlpatterns = [
    path("rankings/", views.index, name="index"),
    path("rankings/<slug:slug>/", views.of_type, name="type"),
]
