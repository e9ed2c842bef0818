"""URLs without a namespace: Django's log-in page looks for "admin_password_reset" by this name."""

from django.contrib import admin
from django.urls import path

from apps.accounts.staff import views

urlpatterns = [
    path("admin/second-factor/", admin.site.admin_view(views.show_second_factor), name="admin_second_factor"),
    path(
        "admin/second-factor/remove/",
        admin.site.admin_view(views.remove_second_factor),
        name="admin_remove_second_factor",
    ),
    path(
        "admin/second-factor/prove/",
        admin.site.admin_view(views.prove_second_factor),
        name="admin_prove_second_factor",
    ),
    path("admin/new-password/", views.send_password_code, name="admin_password_reset"),
    path("admin/new-password/set/", views.set_new_password, name="admin_set_password"),
]
