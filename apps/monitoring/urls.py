from django.contrib import admin
from django.urls import path

from apps.monitoring import operations, views

app_name = "monitoring"

urlpatterns = [
    path("healthz", views.alive, name="alive"),
    path("readyz", views.ready, name="ready"),
    path("admin/panels/", admin.site.admin_view(views.dashboard), name="panels"),
    path("admin/redis/", admin.site.admin_view(operations.page), name="redis"),
    path("admin/redis/rebuilds/", admin.site.admin_view(operations.progress), name="rebuilds"),
    path("admin/redis/rebuilds/<str:name>/", admin.site.admin_view(operations.rebuild), name="rebuild"),
]
