from datetime import datetime
from typing import Any, ClassVar, Self

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    """Makes people; `phone` is already in E.164 here (accounts.phones.parse)."""

    def create_user(self, phone: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(phone=phone, **fields)
        if password:
            user.set_password(password)
        else:
            user.set_unusable_password()
        user.save(using=self._db)
        return user

    def create_superuser(self, phone: str, password: str, **fields: Any) -> "User":
        return self.create_user(phone, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """A person, known by phone; only staff have a password, for the admin."""

    phone = models.CharField(_("phone"), max_length=16, unique=True)
    nickname = models.CharField(_("nickname"), max_length=32)
    avatar = models.ImageField(_("picture"), upload_to="avatars/", blank=True)
    bio = models.CharField(_("about me"), max_length=200, blank=True)
    city = models.CharField(_("city"), max_length=50, blank=True)
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


class AccessTokenQuerySet(models.QuerySet["AccessToken"]):
    def live(self, at: datetime | None = None) -> Self:
        """Tokens that still open the door."""
        return self.filter(revoked_at=None, expires_at__gt=at or timezone.now(), user__is_active=True)


class AccessToken(models.Model):
    """One log-in. Only the SHA-256 of the token is kept: who reads this table can't log in."""

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
        indexes: ClassVar = [models.Index(fields=["user", "-last_seen_at"])]

    def __str__(self) -> str:
        return f"{self.user} · {self.get_kind_display()}"
