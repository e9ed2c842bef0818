from django.contrib import admin
from django.urls import path

from apps.logship import views

app_name = "logship"

urlpatterns = [
    path("admin/access-log/", admin.site.admin_view(views.show_visits), name="visits"),
]
