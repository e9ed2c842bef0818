from django.contrib import admin
from django.urls import include, path

from config.api import api

urlpatterns = [
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("api/", api.urls),
]

handler400 = "apps.problems.pages.bad_request"
handler403 = "apps.problems.pages.forbidden"
handler404 = "apps.problems.pages.not_found"
handler500 = "apps.problems.pages.failed"
