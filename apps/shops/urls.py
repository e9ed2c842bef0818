from django.urls import path, re_path

from apps.shops import views
from apps.shops.members import views as members

app_name = "shops"
urlpatterns = [
    path("shops/", views.shop_list, name="list"),
    path("shops/map/", views.shop_map, name="map"),
    path("shops/map/ground/", views.ground, name="ground"),
    path("shops/<bigid:shop_id>/", views.detail, name="detail"),
    path("shops/<bigid:shop_id>/people/", members.people, name="people"),
    path("shops/<bigid:shop_id>/people/<bigid:user_id>/remove/", members.remove, name="remove_person"),
    re_path(r"^media/shops/(?P<name>[0-9a-f]{32}(-card)?)\.webp$", views.picture, name="picture"),
    path("covers/<bigid:shop_id>.svg", views.cover, name="cover"),
    path("covers/<bigid:shop_id>.png", views.cover_png, name="cover_png"),
]
