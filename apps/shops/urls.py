from django.urls import path

from apps.shops import views

app_name = "shops"
urlpatterns = [
    path("shops/", views.shop_list, name="list"),
    path("shops/map/", views.shop_map, name="map"),
    path("shops/<bigid:shop_id>/", views.detail, name="detail"),
    path("covers/<bigid:shop_id>.svg", views.cover, name="cover"),
]
