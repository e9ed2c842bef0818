"""URLs of the staff's visitors page."""

from django.contrib import admin
from django.urls import URLPattern, path

from apps.backoffice import views

app_name = "backoffice"
urlpatterns: list[URLPattern] = [
    path("admin/visitors/", admin.site.admin_view(views.visitors_page), name="visitors"),
]
