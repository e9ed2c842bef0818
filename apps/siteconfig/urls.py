from django.contrib import admin
from django.urls import path

from apps.siteconfig import views

app_name = "siteconfig"

urlpatterns = [
    path("admin/maintenance/", admin.site.admin_view(views.show_maintenance), name="maintenance"),
    path("admin/maintenance/close/", admin.site.admin_view(views.close_site), name="close_site"),
    path("admin/maintenance/open/", admin.site.admin_view(views.open_site), name="open_site"),
    path("admin/maintenance/pass/", admin.site.admin_view(views.enter_site), name="enter_site"),
    path("admin/settings/", admin.site.admin_view(views.show_settings), name="settings"),
    path(
        "admin/settings/<slug:name>/",
        admin.site.admin_view(views.change_component),
        name="component",
    ),
    path(
        "admin/settings/<slug:name>/restore/",
        admin.site.admin_view(views.restore_component),
        name="restore",
    ),
]
