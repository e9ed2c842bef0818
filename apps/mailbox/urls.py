"""The pages of a person's notifications."""

from django.urls import path

from apps.mailbox import views

app_name = "mailbox"

urlpatterns = [
    path("notifications/", views.show_list, name="list"),
    path("notifications/read/", views.mark_all_read, name="mark_all_read"),
    path("notifications/preferences/", views.edit_preferences, name="preferences"),
    path("notifications/push/", views.subscribe, name="subscribe"),
    path("notifications/push/end/", views.unsubscribe, name="unsubscribe"),
    path("notifications/<bigid:number>/", views.open_notification, name="open"),
    path("notifications/site/<bigid:number>/", views.show_broadcast, name="broadcast"),
]
