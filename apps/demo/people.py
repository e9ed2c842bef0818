"""Makes the demo's users: two hundred people, a customer and a manager.

Their phone numbers are valid in form, from a block (138 0000 xxxx) that no operator assigns.
"""

from datetime import timedelta
from random import Random

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.utils import timezone

from apps.accounts.models import User
from apps.demo.logins import CUSTOMER_PHONE, MANAGER_PASSWORD, MANAGER_PHONE
from apps.demo.places import CITIES

PEOPLE_COUNT = 200
FIRST_PHONE = 13800001000

GIVEN_NAMES = (
    "Mei", "Jun", "Xiaoyu", "Hao", "Lin", "Yan", "Bo", "Qing", "Rui", "Tian", "Fei", "Ning", "Kai", "Lan",
    "Shu",
    "Anna", "Leo", "Mia", "Oscar", "Ivy", "Felix", "Ruth", "Hugo", "Nora", "Max",
)  # fmt: skip
FAMILY_NAMES = (
    "Wang", "Li", "Zhang", "Chen", "Liu", "Zhou", "Xu", "Sun", "Hu", "Lin", "Gao", "He", "Ye", "Pan",
    "Shen", "Yao",
)  # fmt: skip
BIOS = (
    "Will cross the city for a bowl of noodles.", "Coffee first.", "Two kids, one dog, no free evenings.",
    "I rate the soup, not the lamp.", "New in town.", "Knows every teahouse around the lake.", "", "", "",
)  # fmt: skip


def make(seed: int) -> int:
    """Make the customer, 200 people, and with DEMO or DEBUG the manager; return how many are new."""
    wanted = [_make_customer(), *(_build_person(number, seed) for number in range(PEOPLE_COUNT))]
    before = User.objects.count()
    User.objects.bulk_create(wanted, ignore_conflicts=True)
    if (settings.DEMO or settings.DEBUG) and not User.objects.filter(phone=MANAGER_PHONE).exists():
        User.objects.create_superuser(MANAGER_PHONE, MANAGER_PASSWORD, nickname="Manager", city="Hangzhou")
    return User.objects.count() - before


def all_ids() -> list[int]:
    """Return the user ids of the 200 people, in the order of their phone numbers."""
    phones = [_phone(number) for number in range(PEOPLE_COUNT)]
    return list(User.objects.filter(phone__in=phones).order_by("phone").values_list("pk", flat=True))


def _make_customer() -> User:
    return User(
        phone=CUSTOMER_PHONE,
        nickname="Xiaoman",
        city="Hangzhou",
        bio="Always hungry by eleven.",
        joined_at=timezone.now() - timedelta(days=400),
        password=make_password(None),
    )


def _build_person(number: int, seed: int) -> User:
    chance = Random(f"{seed}:person:{number}")
    given, family = GIVEN_NAMES[number % len(GIVEN_NAMES)], FAMILY_NAMES[number * 7 % len(FAMILY_NAMES)]
    return User(
        phone=_phone(number),
        nickname=f"{given} {family}",
        city=CITIES[number % 2].name,
        bio=chance.choice(BIOS),
        joined_at=timezone.now() - timedelta(days=chance.randint(90, 900)),
        password=make_password(None),
    )


def _phone(number: int) -> str:
    return f"+86{FIRST_PHONE + number}"
