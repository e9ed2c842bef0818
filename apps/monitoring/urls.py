from django.contrib import admin
from django.urls import path

from apps.adminkit import views as adminkit_views
from apps.monitoring import admin_views, views
from apps.monitoring import admin_views as measured_views
from apps.monitoring import admin_views as persistence_views

app_name = "monitoring"

urlpatterns = [
    path("healthz", views.alive, name="alive"),
    path("readyz", views.ready, name="ready"),
    path("admin/panels/", admin.site.admin_view(adminkit_views.dashboard_panels), name="panels"),
    # Before Unfold's own view of this address, which keeps its results in a cache that takes no objects.
    path("admin/search/", admin.site.admin_view(adminkit_views.find), name="find"),
    path("admin/operation/", admin.site.admin_view(admin_views.show_operation), name="operation"),
    path(
        "admin/operation/panels/",
        admin.site.admin_view(admin_views.refresh_panels),
        name="operation_panels",
    ),
    path("admin/activity/", admin.site.admin_view(measured_views.show_activity), name="activity"),
    path("admin/activity/charts/", admin.site.admin_view(measured_views.show_charts), name="charts"),
    path("admin/slowest/", admin.site.admin_view(measured_views.show_slowest), name="slowest"),
    path("admin/log/", admin.site.admin_view(measured_views.show_log), name="log"),
    path("admin/redis/", admin.site.admin_view(admin_views.show_redis), name="redis"),
    path("admin/redis/keys/<slug:slug>/", admin.site.admin_view(admin_views.show_pattern), name="pattern"),
    path(
        "admin/persistence/",
        admin.site.admin_view(persistence_views.show_persistence),
        name="persistence",
    ),
    path("admin/redis/rebuilds/", admin.site.admin_view(admin_views.show_rebuilds), name="rebuilds"),
    path(
        "admin/redis/rebuilds/<str:name>/", admin.site.admin_view(admin_views.start_rebuild), name="rebuild"
    ),
]
