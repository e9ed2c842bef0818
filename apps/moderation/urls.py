from django.urls import path

from apps.moderation import views

app_name = "moderation"
urlpatterns = [
    path("report/<slug:kind>/<bigid:target_id>/", views.report, name="report"),
    path("me/reports/", views.my_reports, name="my_reports"),
    path("me/decisions/", views.my_decisions, name="my_decisions"),
    path("me/decisions/<bigid:decision_id>/", views.decision, name="decision"),
]
