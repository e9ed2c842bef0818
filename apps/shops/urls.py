from django.urls import path, re_path

from apps.shops import owning, views
from apps.shops.claims import views as claims
from apps.shops.members import views as members

app_name = "shops"
urlpatterns = [
    path("shops/", views.shop_list, name="list"),
    path("shops/map/", views.shop_map, name="map"),
    path("shops/map/ground/", views.ground, name="ground"),
    path("shops/<bigid:shop_id>/", views.detail, name="detail"),
    path("shops/hours/preview/", owning.hours_preview, name="hours_preview"),
    path("shops/propose/", claims.propose, name="propose"),
    path("shops/<bigid:shop_id>/claim/", claims.claim, name="claim"),
    path("shops/<bigid:shop_id>/correct/", claims.correct, name="correct"),
    path(
        "shops/<bigid:shop_id>/corrections/<bigid:correction_id>/",
        claims.decide_correction,
        name="decide_correction",
    ),
    path("shops/<bigid:shop_id>/edit/", owning.edit, name="edit"),
    path("shops/<bigid:shop_id>/photos/add/", owning.add_photo, name="add_photo"),
    path("shops/<bigid:shop_id>/photos/<bigid:photo_id>/delete/", owning.delete_photo, name="delete_photo"),
    path("shops/<bigid:shop_id>/people/", members.people, name="people"),
    path("shops/<bigid:shop_id>/people/<bigid:user_id>/remove/", members.remove, name="remove_person"),
    re_path(r"^media/shops/(?P<name>[0-9a-f]{32}(-card)?)\.webp$", views.picture, name="picture"),
    path("covers/<bigid:shop_id>.svg", views.cover, name="cover"),
    path("covers/<bigid:shop_id>.png", views.cover_png, name="cover_png"),
]
