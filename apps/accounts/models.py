"""The models of users, log-in tokens, passkeys and daily counts."""

import hashlib
import secrets
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.accounts import city_names, phones
from apps.accounts.text_fields import LineField, LinesField, NicknameField
from apps.web import findable
from apps.web.compiled_queries import Change, CompiledInsert, CompiledQuery, CompiledUpdate
from apps.web.in_language import InLanguage

#: What people are called among the kinds that search finds (profiles.findable_people).
FINDABLE_NAME = "people"

# The first hit wins: Edge also says Chrome, and Chrome also says Safari.
PROGRAMS = {
    "MicroMessenger": "WeChat",
    "Edg": "Edge",
    "OPR": "Opera",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chrome": "Chrome",
    "Safari": "Safari",
    "curl": "curl",
    "python": "Python",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS": "Mac",
    "Linux": "Linux",
}
HANDHELD = {"iPhone", "iPad", "Android"}


def new_nickname() -> str:
    """A random nickname for a new user, in the language of the log-in."""
    return gettext("Diner %(number)d") % {"number": secrets.randbelow(9_000) + 1_000}


def is_listed(path: str) -> Q:
    """The condition that the person of a column, such as "follower", may be listed and counted."""
    return Q(**{f"{path}__is_active": True, f"{path}__is_made_for_load": False})


class UserManager(BaseUserManager["User"]):
    """Creates and finds users; phones are stored in E.164 (accounts.phones.parse)."""

    def create_user(self, phone: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(phone=phones.canonical(phone), **fields)
        if password:
            user.set_password(password)
        else:
            user.set_unusable_password()
        user.save(using=self._db)
        return user

    def create_superuser(self, phone: str, password: str | None = None, **fields: Any) -> "User":
        with transaction.atomic():
            user = self.create_user(phone, password, is_staff=True, is_superuser=True, **fields)
            findable.changed(FINDABLE_NAME, user.pk)
        return user

    def listed(self) -> "models.QuerySet[User]":
        """People in search, suggestions, rankings and counts: active, and not made for load tests."""
        return self.filter(is_active=True, is_made_for_load=False)

    def get_by_natural_key(self, username: str | None) -> "User":
        """The user with this phone, in any usual spelling; raises User.DoesNotExist."""
        return self.get(phone=phones.canonical(username or ""))

    def get_or_create_by_phone(self, phone: str, *, language: str = "") -> tuple["User", bool]:
        """(user, whether it was created now); the unique phone keeps parallel first log-ins to one row."""
        if known := _query_by_phone(phone):
            return known[0], False
        made = _insert_user(phone, make_password(None), new_nickname(), language, timezone.now())
        return _query_by_phone(phone)[0], made is not None


def list_languages() -> list[tuple[str, Any]]:
    """The interface's languages; a function, so that another setting is no change of the table."""
    return list(settings.LANGUAGES)


class User(AbstractBaseUser, PermissionsMixin):
    """A person, identified by phone; only staff have a password, for the admin."""

    phone = models.CharField(
        pgettext_lazy("person", "phone"), max_length=16, unique=True, validators=[phones.validate]
    )
    nickname = NicknameField(_("nickname"), max_length=32, default=new_nickname)
    avatar = models.ImageField(pgettext_lazy("person", "picture"), upload_to="avatars/", blank=True)
    bio = LinesField(_("about me"), max_length=200, blank=True)
    city = LineField(_("city"), max_length=50, blank=True)
    #: Whether pages are of all cities for the person, wherever they live.
    shows_all_cities = models.BooleanField(_("show me all cities"), default=False, db_default=False)
    #: The language of the person's last log-in; messages to them are written in it.
    language = models.CharField(_("language"), max_length=10, choices=list_languages, blank=True)
    is_staff = models.BooleanField(_("staff"), default=False)
    is_active = models.BooleanField(_("active"), default=True)
    joined_at = models.DateTimeField(_("joined"), default=timezone.now)
    #: A load test made this account (manage.py mint_tokens): UserManager.listed leaves it out.
    is_made_for_load = models.BooleanField(
        _("made for load tests"), default=False, db_default=False, editable=False
    )
    #: Until when the person may not write; see profiles.suspensions.
    suspended_until = models.DateTimeField(_("suspended until"), null=True, blank=True, editable=False)
    suspension_reason = models.CharField(max_length=500, blank=True, editable=False)
    #: How often all sessions of the admin were ended; each holds a hash of it.
    session_epoch = models.PositiveIntegerField(default=0, editable=False)

    #: Whether the log-in of this request may use the permissions (accounts.second_factor); None where
    #: no request speaks for the person.
    permission_check: "Callable[[User], bool] | None" = None

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "phone"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("people")
        # Texts mention people by their names.
        indexes: ClassVar = [
            models.Index(fields=["nickname"], name="accounts_nickname"),
            models.Index(fields=["id"], condition=Q(is_made_for_load=True), name="accounts_made_for_load"),
        ]

    def __str__(self) -> str:
        return self.nickname

    def get_full_name(self) -> str:
        """The name that the admin shows beside the menu and in the history of a row."""
        return self.nickname

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Django's hash, which a session must hold to stay valid, and which "log out everywhere" changes."""
        text = f"{self.password}:{self.session_epoch}" if self.session_epoch else self.password
        return salted_hmac("accounts.session", text, secret=secret, algorithm="sha256").hexdigest()

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Whether the person has a permission, and the log-in of this request may use it."""
        return super().has_perm(perm, obj) and (self.permission_check is None or self.permission_check(self))

    def has_module_perms(self, app_label: str) -> bool:
        """The same for any permission of an app."""
        granted = super().has_module_perms(app_label)
        return granted and (self.permission_check is None or self.permission_check(self))

    @property
    def city_name(self) -> str:
        """The person's city in the reader's language, if it is a known one."""
        return city_names.localize(self.city)

    @property
    def message_language(self) -> str:
        """The code of the language for messages to this person."""
        return self.language if self.language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


class AccessTokenQuerySet(models.QuerySet["AccessToken"]):
    def live(self, at: datetime | None = None) -> Self:
        """Tokens of active users that are neither revoked nor expired."""
        return self.filter(revoked_at=None, expires_at__gt=at or timezone.now(), user__is_active=True)

    def log_ins(self) -> Self:
        """Tokens of people's own log-ins, and none that were made for a program."""
        return self.exclude(kind=AccessToken.Kind.PROGRAM)

    def programs(self) -> Self:
        """Tokens that people made for programs."""
        return self.filter(kind=AccessToken.Kind.PROGRAM)


class AccessToken(models.Model):
    """One log-in, or a token for a program. The row has only its SHA-256: reading it lets no one in."""

    #: The end of a token that doesn't expire.
    NEVER: ClassVar = datetime(9999, 1, 1, tzinfo=UTC)

    class Kind(models.TextChoices):
        PAGE = "page", _("browser")
        API = "api", _("application")
        PROGRAM = "prog", _("token for a program")

    user = models.ForeignKey(
        User, models.CASCADE, related_name="tokens", verbose_name=_("person"), db_index=False
    )
    digest = models.CharField(max_length=64, unique=True)
    kind = models.CharField(_("kind"), max_length=4, choices=Kind)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    last_seen_at = models.DateTimeField(_("last seen"), default=timezone.now)
    expires_at = models.DateTimeField(_("expires"))
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    #: When a code of the person's authenticator was given in this log-in; see accounts.second_factor.
    proven_at = models.DateTimeField(null=True, editable=False)
    #: Where the address was at the log-in; the address itself is not kept.
    city_en = models.CharField(_("city, in English"), max_length=100, blank=True)
    city_zh = models.CharField(_("city, in Chinese"), max_length=100, blank=True)
    user_agent = models.CharField(_("browser"), max_length=200, blank=True)
    #: Of a token for a program: what its owner calls it, and its scopes (sessions.scopes), a space between.
    name = LineField(_("name"), max_length=50, default="", db_default="", blank=True)
    scopes = models.CharField(_("scopes"), max_length=50, default="", db_default="", blank=True)

    city = InLanguage("city")

    objects = AccessTokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("log-in")
        verbose_name_plural = _("log-ins")
        indexes: ClassVar = [
            models.Index(fields=["user", "-last_seen_at"]),
            models.Index(
                fields=["revoked_at"], condition=Q(revoked_at__isnull=False), name="accounts_revoked"
            ),
            models.Index(fields=["expires_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.get_kind_display()}"

    @property
    def device(self) -> str:
        """The names of the browser and the operating system, or ""."""
        return describe_user_agent(self.user_agent)

    @property
    def scope_list(self) -> list[str]:
        """The scopes of a token for a program."""
        return self.scopes.split()

    @property
    def last_used_at(self) -> datetime | None:
        """When a token for a program was last used, to the minute or so; None before its first use."""
        return None if self.last_seen_at == self.created_at else self.last_seen_at

    @property
    def ends_at(self) -> datetime | None:
        """When it expires; None for never."""
        return None if self.expires_at == self.NEVER else self.expires_at


class Passkey(models.Model):
    """A key pair that a person's device holds; the row has its public half, so reading it lets no one in."""

    user = models.ForeignKey(User, models.CASCADE, related_name="passkeys", verbose_name=_("person"))
    #: The credential's id in base64url, as browsers write it: 1,023 bytes at most.
    credential_id = models.CharField(max_length=1364, unique=True)
    #: A COSE key.
    public_key = models.BinaryField()
    #: What the device counted with its last signature; 0 of those that don't count.
    sign_count = models.BigIntegerField(default=0)
    #: The browser and system that made it, such as "Safari · iPhone"; "" for unknown ones.
    device = models.CharField(_("device"), max_length=50, blank=True)
    created_at = models.DateTimeField(_("added"), default=timezone.now)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)

    class Meta:
        verbose_name = _("passkey")
        verbose_name_plural = _("passkeys")

    def __str__(self) -> str:
        return self.device or gettext("Passkey")


class LoginEmail(models.Model):
    """The e-mail address by which a person may log in, proven by a code; see accounts.login.emails."""

    user = models.OneToOneField(
        User, models.CASCADE, primary_key=True, related_name="login_email", verbose_name=_("person")
    )
    #: In small letters (forms.parse_email): one mailbox is never two people's.
    address = models.CharField(_("e-mail"), max_length=254, unique=True)

    class Meta:
        verbose_name = _("e-mail of a log-in")
        verbose_name_plural = _("e-mails of log-ins")

    def __str__(self) -> str:
        return f"{self.user_id}"


class Block(models.Model):
    """A block: both people see and get nothing of each other (accounts.relations.blocks)."""

    blocker = models.ForeignKey(
        User, models.CASCADE, related_name="+", verbose_name=_("who blocked"), db_index=False
    )
    blocked = models.ForeignKey(User, models.CASCADE, related_name="+", verbose_name=_("blocked person"))
    created_at = models.DateTimeField(_("since"), default=timezone.now)

    class Meta:
        verbose_name = _("block")
        verbose_name_plural = _("blocks")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["blocker", "blocked"], name="accounts_blocked_once"),
            models.CheckConstraint(condition=~Q(blocker=F("blocked")), name="accounts_not_oneself"),
        ]

    def __str__(self) -> str:
        return f"{self.blocker_id} blocked {self.blocked_id}"


class Mention(models.Model):
    """A text names a person by "@"; see accounts.mentions.

    `name` is what the text says, "" once it no longer does; the person may have another name by now.
    """

    kind = models.CharField(_("kind of text"), max_length=10)
    target_id = models.BigIntegerField(_("text"))
    person = models.ForeignKey(User, models.CASCADE, related_name="+", verbose_name=_("person"))
    name = models.CharField(_("name in the text"), max_length=32, blank=True)
    is_told = models.BooleanField(_("told"), default=False)

    class Meta:
        verbose_name = _("mention")
        verbose_name_plural = _("mentions")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "target_id", "person"], name="accounts_mentioned_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.target_id}: @{self.name}"


class AccountDeletion(models.Model):
    """A person asked to delete their account; see accounts.deletion.

    Until `purge_at` a log-in takes it back, unless `is_final`: then staff has switched the account off since.
    `profile` keeps aside what the account's row showed. The row stays afterwards, and says that the nameless
    account is one of a person who left.
    """

    user = models.OneToOneField(
        User, models.CASCADE, primary_key=True, related_name="deletion", verbose_name=_("person")
    )
    requested_at = models.DateTimeField(_("asked for"))
    purge_at = models.DateTimeField(_("removed for good from"), db_index=True)
    #: When the last of what everybody could see was hidden.
    hidden_at = models.DateTimeField(_("hidden"), null=True, blank=True)
    taken_back_at = models.DateTimeField(_("taken back"), null=True, blank=True)
    purged_at = models.DateTimeField(_("removed for good"), null=True, blank=True)
    is_final = models.BooleanField(_("a log-in doesn't take it back"), default=False)
    profile = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("deleted account")
        verbose_name_plural = _("deleted accounts")

    def __str__(self) -> str:
        return f"{self.user_id}: {self.requested_at:%Y-%m-%d}"

    @property
    def is_waiting(self) -> bool:
        """Whether a log-in would take it back."""
        return self.taken_back_at is None and not self.is_final and self.purge_at > timezone.now()


class DailyCountQuerySet(models.QuerySet["DailyCount"]):
    def take(self, day: date, *, what: str, subject: str, allowed: int) -> bool:
        """Add one to a subject's count of a day atomically; False when `allowed` is already reached."""
        row = (day, what, DailyCount.hashed(subject))
        if _add_to_count(*row, allowed):
            return True
        # There is no row yet, or somebody has just made it.
        return _insert_first_count(*row) is not None or _add_to_count(*row, allowed) == 1


class DailyCount(models.Model):
    """How often a subject took a costly action (`what`) in a UTC day; in SQL, to survive a loss of Redis."""

    day = models.DateField()
    what = models.CharField(max_length=32)
    #: A digest, so that the table has no phones of people who never logged in.
    subject = models.CharField(max_length=32)
    count = models.PositiveIntegerField(default=0)

    objects = DailyCountQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["day", "what", "subject"], name="accounts_one_count_a_day")
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.what}: {self.count}"

    @staticmethod
    def hashed(subject: str) -> str:
        return hashlib.sha256(subject.encode()).hexdigest()[:32]


@CompiledQuery
def _query_by_phone(phone: str) -> models.QuerySet[User]:
    return User.objects.filter(phone=phone)


@CompiledInsert
def _insert_user(phone: str, password: str, nickname: str, language: str, joined_at: datetime) -> User:
    return User(phone=phone, password=password, nickname=nickname, language=language, joined_at=joined_at)


@CompiledUpdate
def _add_to_count(day: date, what: str, subject: str, allowed: int) -> Change:
    rows = DailyCount.objects.filter(day=day, what=what, subject=subject, count__lt=allowed)
    return rows, {"count": F("count") + 1}


@CompiledInsert
def _insert_first_count(day: date, what: str, subject: str) -> DailyCount:
    return DailyCount(day=day, what=what, subject=subject, count=1)


def describe_user_agent(user_agent: str) -> str:
    """Browser and system of a User-Agent: "Chrome · Android", or "" when neither is recognised."""
    return " · ".join(filter(None, (_first_match(PROGRAMS, user_agent), system_name(user_agent))))


def system_name(user_agent: str) -> str:
    return _first_match(SYSTEMS, user_agent)


def _first_match(names: dict[str, str], user_agent: str) -> str:
    return next((name for mark, name in names.items() if mark in user_agent), "")
