"""The first steps of a new site: its manager and its city, and what is left to do before guests come."""

from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.coupons.models import FlashSale
from apps.shops import changes, starter_types
from apps.shops.city_form import CityForm, next_position
from apps.shops.geo import cities
from apps.shops.models import City, Shop, ShopType

#: deploy/backup.sh writes it after each backup.
BACKUP_MARK = "last-backup"
#: A backup that is older counts as none.
MAX_BACKUP_AGE = timedelta(days=8)
CONSOLE_SENDER = "apps.outbox.sms.ConsoleSender"
SANDBOX = "apps.coupons.payments.sandbox.Sandbox"


class Step(NamedTuple):
    """A line of the checklist; `url` leads to where it is done, empty where that is outside the site."""

    title: str
    about: str
    url: str
    is_done: bool


def list_steps() -> list[Step]:
    """What a site needs before guests come, in order; five queries."""
    steps = [
        Step(
            _("A city"),
            _("Its name, its centre and the edges of its map."),
            reverse("admin:shops_city_add"),
            City.objects.filter(is_open=True).exists(),
        ),
        Step(
            _("Types of shops"),
            _("What the home page offers: ten to start with come from manage.py setup_city."),
            reverse("admin:shops_shoptype_changelist"),
            ShopType.objects.exists(),
        ),
        Step(
            _("Shops"),
            _("Write them one by one, or import a file."),
            reverse("admin:shops_shop_changelist"),
            Shop.objects.open_to_public().exists(),
        ),
        Step(
            _("The first flash sale"),
            _("A voucher with a number of units and a time."),
            reverse("admin:coupons_new_flash_sale"),
            FlashSale.objects.exists(),
        ),
    ]
    return steps if settings.DEMO else steps + _list_steps_of_operators()


def _list_steps_of_operators() -> list[Step]:
    return [
        Step(
            _("Text messages"),
            _("Log-in codes are only printed to the log: set SMS_SENDER."),
            "",
            settings.SMS_SENDER != CONSOLE_SENDER,
        ),
        Step(
            _("Payments"),
            _("The sandbox bank takes no money: set PAYMENT_PROVIDER."),
            "",
            settings.PAYMENT_PROVIDER != SANDBOX,
        ),
        Step(
            _("A backup"),
            _("None in the last eight days on this machine: deploy/backup.sh, or its timer."),
            "",
            _is_backed_up(),
        ),
    ]


def _is_backed_up() -> bool:
    try:
        made_at = Path(settings.VAR_DIR, BACKUP_MARK).stat().st_mtime
    except OSError:
        return False
    return timezone.now().timestamp() - made_at < MAX_BACKUP_AGE.total_seconds()


def find_manager() -> User | None:
    """A person who may do everything in the admin, if there is one."""
    return User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()


def build_city(*, radius_km: float, **fields: Any) -> City:
    """A city that isn't saved, by the rules of the admin's form; ValidationError for a wrong field.

    `fields` are name_en, name_zh, slug, lat and lng; without a slug it is made of the English name.
    """
    chosen = {"position": next_position(City), "is_open": True, "opens_empty": True}
    form = CityForm(fields | chosen)
    if not form.is_valid():
        raise ValidationError({name: list(sentences) for name, sentences in form.errors.items()})
    if not 0 < radius_km <= cities.MAX_RADIUS_KM:
        raise ValidationError({"radius": _("Write a distance from 1 to 50 kilometres.")})
    city: City = form.save(commit=False)
    city.set_bounds_around(radius_km * 1_000)
    return city


def check_password(password: str, *, phone: str, nickname: str) -> None:
    """ValidationError for a password that is easy to guess."""
    validate_password(password, User(phone=phone, nickname=nickname))


@transaction.atomic
def set_up(city: City | None, manager: dict[str, Any] | None) -> int:
    """Save the city and the manager, if given, and make the missing starter types; returns how many types."""
    if manager:
        _make_manager(**manager)
    if city:
        changes.save_city(city)
    return starter_types.make_missing()


def _make_manager(phone: str, password: str, nickname: str) -> None:
    """A new person, or the one who has this phone."""
    known = User.objects.filter(phone=phone).first()
    if known is None:
        User.objects.create_superuser(phone, password, nickname=nickname)
        return
    known.is_staff = known.is_superuser = known.is_active = True
    known.set_password(password)
    known.save(update_fields=["is_staff", "is_superuser", "is_active", "password"])
