from django.urls import path, re_path

from apps.accounts import views
from apps.accounts.deletion import views as deletion
from apps.accounts.login import email_views, passkey_views, phone_views
from apps.accounts.programs import views as programs
from apps.accounts.relations import views as relations
from apps.accounts.staff import views as staff

app_name = "accounts"
urlpatterns = [
    path("login/", views.log_in, name="login"),
    path("login/code/", views.send_code, name="send_code"),
    path("login/passkey/", views.log_in_by_passkey, name="log_in_by_passkey"),
    path("login/passkey/options/", views.passkey_options, name="passkey_options"),
    path("logout/", views.log_out, name="logout"),
    path("people/<bigid:person_id>/", views.person, name="person"),
    path("people/<bigid:person_id>/block/", relations.block, name="block"),
    path("me/blocks/", relations.blocked_people, name="blocks"),
    path("me/", views.profile, name="profile"),
    path("me/edit/", views.edit_profile, name="edit"),
    path("me/phone/", phone_views.begin, name="phone"),
    path("me/phone/prove/", phone_views.prove, name="prove_phone"),
    path("me/phone/finish/", phone_views.finish, name="finish_phone"),
    path("me/email/", email_views.begin, name="email"),
    path("me/email/finish/", email_views.finish, name="finish_email"),
    path("me/email/remove/", email_views.remove, name="remove_email"),
    path("me/passkeys/", passkey_views.show, name="passkeys"),
    path("me/passkeys/options/", passkey_views.options, name="new_passkey_options"),
    path("me/passkeys/<bigid:passkey_id>/remove/", passkey_views.remove, name="remove_passkey"),
    path("me/second-factor/", staff.prove_on_site, name="second_factor"),
    path("me/delete/", deletion.begin, name="delete"),
    path("me/delete/finish/", deletion.finish, name="finish_delete"),
    path("welcome/", views.welcome, name="welcome"),
    path("me/sessions/", views.sessions, name="sessions"),
    path("me/sessions/<bigid:session_id>/end/", views.end_session, name="end_session"),
    path("me/sessions/end/", views.end_all_sessions, name="end_all_sessions"),
    path("me/tokens/", programs.show, name="program_tokens"),
    path("me/tokens/<bigid:token_id>/revoke/", programs.revoke, name="revoke_program_token"),
    re_path(r"^media/avatars/(?P<name>[0-9a-f]{32})\.webp$", views.avatar, name="avatar"),
]
