from django.urls import path

from apps.signins import views

app_name = "signins"
urlpatterns = [
    path("sign-in/", views.calendar, name="calendar"),
    path("sign-in/today/", views.check_in, name="sign_in"),
    path("sign-in/make-up/", views.make_up, name="make_up"),
    path("sign-in/leaders/", views.board, name="leaders"),
    path("sign-in/points/", views.points, name="points"),
]
