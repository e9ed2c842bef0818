"""The admin of users and log-ins; and of roles, which are groups of staff."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static.admin import StaticDevice
from django_otp.plugins.otp_totp.admin import TOTPDevice
from unfold.decorators import action, display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminImageFieldWidget, UnfoldAdminSelectWidget

from apps.accounts import city_names, second_factor
from apps.accounts.models import AccessToken, User
from apps.accounts.personal import person_cards
from apps.accounts.pictures import uploads
from apps.accounts.profiles import avatars, findable_people, profile_counts, suspensions
from apps.accounts.sessions import tokens
from apps.adminkit import confirm_dialogs, history
from apps.adminkit.change_forms import Badges, ModelAdmin
from apps.adminkit.plain_search import PlainSearch
from apps.adminkit.roles import Role
from apps.queues import owed
from apps.web import findable
from apps.web.problems.ids import parse_row_id

# Their pages would show managers' secrets to other managers; a person's page has what is needed.
for device in (TOTPDevice, StaticDevice):
    admin.site.unregister(device)

LIVE_LOGIN, ENDED_LOGIN = pgettext_lazy("log-in", "open"), pgettext_lazy("log-in", "ended")
LOGIN_BADGES = Badges({LIVE_LOGIN: "success", ENDED_LOGIN: "default"})


class UserForm(UserChangeForm):
    """Unfold's form; a new avatar is drawn anew."""

    # Not an ImageField: that one reads the file in this process.
    avatar = forms.FileField(required=False, widget=UnfoldAdminImageFieldWidget)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Who only looks has no field of it.
        if "avatar" in self.fields:
            self.fields["avatar"].label = capfirst(gettext("avatar"))
        if "city" in self.fields and (choices := city_names.choices(self.instance.city)):
            self.fields["city"].widget = UnfoldAdminSelectWidget(choices=choices)

    def clean_avatar(self) -> Any:
        return uploads.clean_sent(self, "avatar", avatars.SHAPE, most_bytes=avatars.MAX_BYTES)


class HomeCityFilter(admin.SimpleListFilter):
    """People of one of the site's cities, however they write it.

    What all people have written would be read from every row.
    """

    title, parameter_name = _("city"), "city"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, str]]:
        return city_names.choices("")

    def queryset(self, _request: HttpRequest, people: QuerySet[User]) -> QuerySet[User]:
        city = self.value()
        return people if city is None else people.filter(city__in=city_names.spellings(city))


@admin.register(User)
class UserAdmin(PlainSearch, DjangoUserAdmin, ModelAdmin):
    """Users. Disabling one logs them out everywhere."""

    is_in_search = True
    form = UserForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("heading", "home_city", "role", "logins", "joined_at", "active")
    list_filter = ("is_staff", "is_active", "is_made_for_load", HomeCityFilter)
    list_filter_submit = False
    list_per_page = 20
    search_fields = ("phone", "nickname")
    search_help_text = _("Phone or nickname")
    ordering = ("-id",)
    filter_horizontal = ()
    autocomplete_fields = ("groups",)
    readonly_fields = ("last_login", "joined_at", "numbers")
    actions = ("switch_off", "log_out")
    actions_detail = ("log_out_everywhere", "remove_second_factor")
    fieldsets = (
        (None, {"fields": ("phone", "nickname", "password")}),
        (_("Profile"), {"fields": ("avatar", "bio", "city", "numbers")}),
        (_("Rights"), {"fields": ("is_active", "is_staff", "is_superuser", "groups")}),
        (_("Dates"), {"fields": ("joined_at", "last_login")}),
    )
    add_fieldsets = ((None, {"fields": ("phone", "nickname", "usable_password", "password1", "password2")}),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        people: Any = super().get_queryset(request)
        # Counted for the rows of a page only, unlike a join that is grouped.
        live = AccessToken.objects.filter(
            user=OuterRef("pk"), revoked_at=None, expires_at__gt=timezone.now()
        ).values("user")
        counted = Subquery(live.annotate(number=Count("pk")).values("number"))
        return people.annotate(live_logins=Coalesce(counted, 0)).prefetch_related("groups")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Only a superuser grants permissions: staff could otherwise promote themselves."""
        inherited = tuple(super().get_readonly_fields(request, obj))
        if request.user.is_superuser:
            return inherited
        return (*inherited, "is_staff", "is_superuser", "groups")

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Who only looks at people sees nothing of their passwords."""
        if obj is None or self.has_change_permission(request, obj):
            return super().get_fieldsets(request, obj)
        return ((None, {"fields": ("phone", "nickname")}), *self.fieldsets[1:])

    def has_delete_permission(self, _request: HttpRequest, _obj: User | None = None) -> bool:
        """False: orders refer to users, who are disabled instead."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Whether staff may change this person: not one of more rights, whose password they could set."""
        allowed = bool(super().has_change_permission(request, obj))
        return allowed and (obj is None or _may_as_much(request.user, obj))

    def has_end_logins_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Whether the button is shown; Unfold passes the id of the user's page."""
        return self.has_change_permission(request, object_id and self.get_object(request, object_id))

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        findable.changed(findable_people.NAME, obj.pk)
        owed.run_after_commit(person_cards.forget, obj.pk)
        changed = set(form.changed_data) if change else set()
        if "is_active" in changed:
            suspensions.switch_on(obj.pk) if obj.is_active else suspensions.switch_off([obj.pk])
        if "phone" in changed:
            tokens.revoke_all(obj.pk)

    @display(description=_("person"), header=True, ordering="nickname")
    def heading(self, user: User) -> list[str]:
        return [user.nickname, user.phone]

    @display(description=_("city"), ordering="city")
    def home_city(self, user: User) -> str:
        return user.city_name

    @display(description=_("role"), label=True)
    def role(self, user: User) -> Any:
        """The groups of a person, in the reader's language."""
        if user.is_superuser:
            return pgettext_lazy("staff", "owner")
        titles = " · ".join(map(group_title, user.groups.all()))
        return titles or (_("staff") if user.is_staff else None)

    @display(description=_("log-ins"), ordering="live_logins")
    def logins(self, user: Any) -> int:
        return int(user.live_logins)

    @display(description=_("numbers"))
    def numbers(self, user: User) -> str:
        """The numbers that higher apps register for a user: followers, notes …"""
        return " · ".join(f"{one.label}: {one.number}" for one in profile_counts.read_all(user))

    @display(description=_("active"), boolean=True, ordering="is_active")
    def active(self, user: User) -> bool:
        return user.is_active

    @admin.action(description=_("Switch off and log out everywhere"), permissions=["change"])
    def switch_off(self, request: HttpRequest, people: QuerySet[User]) -> None:
        chosen = self._manageable_ids(request, people)
        ended = suspensions.switch_off(chosen)
        self._report_counts(
            request,
            ngettext("%(people)d person switched off.", "%(people)d people switched off.", len(chosen)),
            chosen,
            ended,
        )

    @admin.action(description=_("Log out everywhere"), permissions=["change"])
    def log_out(self, request: HttpRequest, people: QuerySet[User]) -> None:
        chosen = self._manageable_ids(request, people)
        ended = tokens.revoke_all(*chosen)
        self._report_counts(
            request,
            ngettext("%(people)d person logged out.", "%(people)d people logged out.", len(chosen)),
            chosen,
            ended,
        )

    @action(
        description=_("Log out everywhere"),
        url_path="log-out-everywhere",
        icon="logout",
        permissions=["end_logins"],
        dialog=confirm_dialogs.build(
            _("Log out everywhere"), _("Ends every log-in of this person, on all devices."), _("Log out")
        ),
    )
    def log_out_everywhere(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        user = get_object_or_404(User, pk=parse_row_id(object_id))
        ended = tokens.revoke_all(user.pk)
        history.record_changed(request, user, _count_ended(ended))
        url = reverse("admin:accounts_user_change", args=[user.pk])
        return confirm_dialogs.redirect_with_message(request, url, _count_ended(ended))

    @action(
        description=_("Take the second factor away"),
        url_path="remove-second-factor",
        icon="phonelink_erase",
        permissions=["end_logins"],
        dialog=confirm_dialogs.build(
            _("Take the second factor away"),
            _("For a manager who has lost phone and backup codes: password alone logs in again."),
            _("Take away"),
        ),
    )
    def remove_second_factor(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        user = get_object_or_404(User, pk=parse_row_id(object_id))
        second_factor.remove(user)
        tokens.revoke_all(user.pk)
        history.record_changed(request, user, gettext("took the second factor away"))
        url = reverse("admin:accounts_user_change", args=[user.pk])
        return confirm_dialogs.redirect_with_message(request, url, gettext("The second factor is gone."))

    def _manageable_ids(self, request: HttpRequest, people: QuerySet[User]) -> list[int]:
        """The chosen users that this manager may change, without the manager."""
        found = User.objects.filter(pk__in=people.values("pk"))
        others = [user for user in found if user.pk != request.user.pk]
        return [user.pk for user in others if self.has_change_permission(request, user)]

    def _report_counts(self, request: HttpRequest, sentence: str, chosen: list[int], ended: int) -> None:
        logins = ngettext("%(logins)d log-in ended.", "%(logins)d log-ins ended.", ended)
        text = f"{sentence % {'people': len(chosen)}} {logins % {'logins': ended}}"
        history.record_event(request.user.pk or 0, ", ".join(map(str, chosen)), text)
        self.message_user(request, text)


def _count_ended(number: int) -> str:
    return ngettext("%d log-in ended.", "%d log-ins ended.", number) % number


def _may_as_much(manager: Any, user: User) -> bool:
    """Whether a manager has every right in the admin that a user has."""
    if manager.is_superuser or not user.is_staff:
        return True
    return not user.is_superuser and user.get_all_permissions() <= manager.get_all_permissions()


@admin.register(AccessToken)
class AccessTokenAdmin(PlainSearch, ModelAdmin):
    """Log-ins and tokens for programs, which managers can read and end. Neither token nor digest is shown."""

    list_display = ("user", "kind", "device", "city_name", "created_at", "last_seen_at", "state")
    list_filter = ("kind",)
    list_select_related = ("user",)
    list_per_page = 20
    search_fields = ("user__phone", "user__nickname", "city_en", "city_zh")
    search_help_text = _("Phone, nickname or city")
    ordering = ("-id",)
    fields = (
        *("user", "kind", "name", "scopes", "city_name", "user_agent", "created_at", "last_seen_at"),
        *("expires_at", "revoked_at"),
    )
    readonly_fields = ("city_name",)
    actions = ("end",)

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: AccessToken | None = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: AccessToken | None = None) -> bool:
        """False: deleting the row would leave its copy in Redis valid; ending the log-in does not."""
        return False

    def has_end_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("accounts.change_accesstoken")

    @display(description=_("device"))
    def device(self, token: AccessToken) -> str:
        return token.name or token.user_agent[:40] or "-"

    @display(description=_("city"))
    def city_name(self, token: AccessToken) -> str:
        return token.city or "-"

    @display(
        description=_("state"),
        label=LOGIN_BADGES,
    )
    def state(self, token: AccessToken) -> Any:
        live = token.revoked_at is None and token.expires_at > timezone.now()
        return LIVE_LOGIN if live else ENDED_LOGIN

    @admin.action(description=_("End these log-ins"), permissions=["end"])
    def end(self, request: HttpRequest, chosen: QuerySet[AccessToken]) -> None:
        ended = tokens.revoke(AccessToken.objects.filter(pk__in=chosen.values("pk")))
        self.message_user(request, _count_ended(ended))


admin.site.unregister(Group)


def group_title(group: Group) -> str:
    """A group's name; the name of a prepared role in the reader's language."""
    return str(Role(group.name).label) if group.name in Role.values else group.name


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    """Roles: the permissions that a group of staff has."""

    list_display = ("heading", "people")
    fields = ("name", "preparation", "permissions")
    readonly_fields = ("preparation",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        groups: Any = super().get_queryset(request)
        return groups.annotate(person_count=Count("user"))

    def get_readonly_fields(self, _request: HttpRequest, obj: Group | None = None) -> tuple[str, ...]:
        """A prepared role is found by its name."""
        is_prepared = obj is not None and obj.name in Role.values
        return ("name", "preparation") if is_prepared else ("preparation",)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """A prepared role would come back at once, without its people."""
        is_prepared = obj is not None and obj.name in Role.values
        return not is_prepared and bool(super().has_delete_permission(request, obj))

    @display(description=_("role"), ordering="name")
    def heading(self, group: Group) -> str:
        return group_title(group)

    @display(description=_("people"), ordering="person_count")
    def people(self, group: Any) -> int:
        return int(group.person_count)

    @display(description=_("prepared"))
    def preparation(self, group: Group) -> Any:
        """What happens to a change of this group."""
        if group.name not in Role.values:
            return _("This is a group of your own: nothing changes it but you.")
        return _(
            "The site prepares this role. A permission that you add stays; one that you take away comes back "
            "with the next update. For a role that may do less, make a group of your own."
        )
