"""The root URL configuration and its error handlers."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, register_converter

from apps.backoffice import pwa, sitemap
from apps.demo.gallery import GalleryView
from apps.shops import views as shops
from apps.web.problems.ids import BigIdConverter
from config import api_pages
from config.api import api

register_converter(BigIdConverter, "bigid")

urlpatterns: list[URLPattern | URLResolver] = [
    # Most requested first: Django tries the patterns in this order for each request.
    path("api/openapi.json", api_pages.openapi_json, name="openapi_json"),
    path("api/docs", api_pages.docs, name="api_docs"),
    path("api/", api.urls),
    path("", include("apps.shops.urls")),
    path("", include("apps.monitoring.urls")),
    path("", include("apps.siteconfig.urls")),
    path("", include("apps.metrics.urls")),
    path("", include("apps.logship.urls")),
    path("", include("apps.accounts.urls")),
    path("", include("apps.coupons.urls")),
    path("", include("apps.blog.urls")),
    path("", include("apps.saves.urls")),
    path("", include("apps.follows.urls")),
    path("", include("apps.signins.urls")),
    path("", include("apps.mailbox.urls")),
    path("", include("apps.search.urls")),
    path("", include("apps.chat.urls")),
    path("", include("apps.rankings.urls")),
    path("", include("apps.moderation.urls")),
    path("", include("apps.ads.urls")),
    path("", shops.home, name="home"),
    path("", include("apps.backoffice.urls")),
    path("", include("apps.patterns.urls")),
    path("site.webmanifest", pwa.manifest, name="manifest"),
    path("sw.js", pwa.service_worker, name="service_worker"),
    path("offline/", pwa.offline_page, name="offline"),
    path("robots.txt", sitemap.robots),
    path("sitemap.xml", sitemap.index, name="sitemap"),
    path("sitemap/lists.xml", sitemap.lists, name="sitemap_lists"),
    path("sitemap/<slug:kind>-<bigid:number>.xml", sitemap.part, name="sitemap_part"),
    path("", include("apps.accounts.staff.urls")),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
]

if settings.DEBUG or settings.DEMO:
    urlpatterns.append(path("design/", GalleryView.as_view(), name="design"))

handler400 = "apps.web.problems.error_pages.bad_request"
handler403 = "apps.web.problems.error_pages.forbidden"
handler404 = "apps.web.problems.error_pages.not_found"
handler500 = "apps.web.problems.error_pages.failed"
