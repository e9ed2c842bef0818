from django.urls import path, re_path

from apps.shops import views

app_name = "shops"
urlpatterns = [
    path("shops/", views.shop_list, name="list"),
    path("shops/map/", views.shop_map, name="map"),
    path("shops/<bigid:shop_id>/", views.detail, name="detail"),
    re_path(r"^media/shops/(?P<name>[0-9a-f]{32})\.webp$", views.picture, name="picture"),
    path("covers/<bigid:shop_id>.svg", views.cover, name="cover"),
]
