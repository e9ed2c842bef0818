"""The pages of search, and the page about it in the admin."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, path

from apps.search import admin as search_admin
from apps.search import views

app_name = "search"

urlpatterns: list[URLPattern | URLResolver] = [
    path("search/", views.results, name="results"),
    path("search/forget/", views.forget, name="forget"),
    path("admin/search/overview/", admin.site.admin_view(search_admin.show_overview), name="overview"),
    path(
        "admin/search/overview/index/", admin.site.admin_view(search_admin.show_index), name="overview_index"
    ),
    path("admin/search/overview/rebuild/", admin.site.admin_view(search_admin.rebuild), name="rebuild"),
]
