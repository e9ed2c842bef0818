from django.urls import path

from apps.patterns import views

app_name = "patterns"
urlpatterns = [
    path("patterns/", views.index, name="index"),
    path("patterns/<slug:slug>/", views.page, name="page"),
    path("patterns/<slug:slug>/run/", views.run, name="run"),
    path("patterns/<slug:slug>/compare/", views.compare, name="compare"),
]
