"""The models of users, log-in tokens and daily counts."""

import hashlib
import secrets
from datetime import date, datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts import devices, phones
from apps.accounts.text_fields import LineField


def new_nickname() -> str:
    """A random nickname for a new user."""
    return f"Diner {secrets.randbelow(9_000) + 1_000}"


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
        return self.create_user(phone, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        """The user with this phone, in any usual spelling; raises User.DoesNotExist."""
        return self.get(phone=phones.canonical(username or ""))

    def get_or_create_by_phone(self, phone: str) -> tuple["User", bool]:
        """(user, whether it was created now); the unique phone keeps parallel first log-ins to one row."""
        return self.get_or_create(phone=phone, defaults={"password": make_password(None)})


class User(AbstractBaseUser, PermissionsMixin):
    """A person, identified by phone; only staff have a password, for the admin."""

    phone = models.CharField(_("phone"), max_length=16, unique=True, validators=[phones.validate])
    nickname = LineField(_("nickname"), max_length=32, default=new_nickname)
    avatar = models.ImageField(_("picture"), upload_to="avatars/", blank=True)
    bio = LineField(_("about me"), max_length=200, blank=True)
    city = LineField(_("city"), max_length=50, blank=True)
    #: The language of the person's last log-in; messages to them are written in it.
    language = models.CharField(_("language"), max_length=10, choices=settings.LANGUAGES, blank=True)
    is_staff = models.BooleanField(_("staff"), default=False)
    is_active = models.BooleanField(_("active"), default=True)
    joined_at = models.DateTimeField(_("joined"), default=timezone.now)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "phone"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("people")

    def __str__(self) -> str:
        return self.nickname

    @property
    def message_language(self) -> str:
        """The code of the language for messages to this person."""
        return self.language or settings.LANGUAGE_CODE


class AccessTokenQuerySet(models.QuerySet["AccessToken"]):
    def live(self, at: datetime | None = None) -> Self:
        """Tokens of active users that are neither revoked nor expired."""
        return self.filter(revoked_at=None, expires_at__gt=at or timezone.now(), user__is_active=True)


class AccessToken(models.Model):
    """One log-in. The row has only the SHA-256 of the token, so reading the table lets no one log in."""

    class Kind(models.TextChoices):
        PAGE = "page", _("browser")
        API = "api", _("application")

    user = models.ForeignKey(User, models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=4, choices=Kind)
    created_at = models.DateTimeField(default=timezone.now)
    last_seen_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    ip = models.GenericIPAddressField(null=True, blank=True)
    user_agent = models.CharField(max_length=200, blank=True)

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
        return devices.describe(self.user_agent)


class DailyCountQuerySet(models.QuerySet["DailyCount"]):
    def for_subject(self, day: date, *, what: str, subject: str) -> "DailyCountQuerySet":
        """A queryset of the one row of a subject's day, which is created if missing."""
        row = DailyCount(day=day, what=what, subject=DailyCount.hashed(subject))
        self.bulk_create([row], ignore_conflicts=True)
        return self.filter(day=day, what=what, subject=row.subject)

    def take(self, allowed: int) -> bool:
        """Add one to the row's count atomically; False when `allowed` is already reached."""
        return self.filter(count__lt=allowed).update(count=F("count") + 1) == 1


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
