"""The pages of ads."""

from django.urls import URLPattern, URLResolver, path, re_path

from apps.ads import views

app_name = "ads"

urlpatterns: list[URLPattern | URLResolver] = [
    path("ads/<bigid:ad_id>/<slug:ticket>/", views.follow, name="follow"),
    re_path(r"^media/ads/(?P<name>[0-9a-f]{32})\.webp$", views.picture, name="picture"),
]
