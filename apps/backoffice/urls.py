"""URLs of the staff's visitors page and of the lens."""

from django.contrib import admin
from django.urls import URLPattern, path

from apps.backoffice import information, visitors
from apps.backoffice.lens import views as lens

app_name = "backoffice"
urlpatterns: list[URLPattern] = [
    path("admin/visitors/", admin.site.admin_view(visitors.visitors_page), name="visitors"),
    path("admin/lens/", admin.site.admin_view(lens.admin_lens_page), name="admin_lens"),
    path("help/", information.help_page, name="help"),
    path("privacy/", information.privacy, name="privacy"),
    path("terms/", information.terms, name="terms"),
    path("imprint/", information.imprint, name="imprint"),
    path("lens/", lens.lens_page, name="lens"),
    path("lens/requests/", lens.lens_requests, name="lens_requests"),
]
