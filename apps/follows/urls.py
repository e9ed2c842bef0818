from django.urls import URLPattern

app_name = "follows"
urlpatterns: list[URLPattern] = []
