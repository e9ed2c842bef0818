from django.urls import path

from apps.metrics import views

app_name = "metrics"

urlpatterns = [path("metrics", views.metrics, name="prometheus")]
