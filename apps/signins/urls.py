from django.urls import URLPattern

app_name = "signins"
urlpatterns: list[URLPattern] = []
