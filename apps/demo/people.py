"""Makes the demo's users: two hundred people, a customer and a manager.

Their phone numbers are valid in form, from a block (138 0000 xxxx) that no operator assigns.
"""

from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from io import BytesIO
from random import Random

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.utils import timezone
from PIL import Image

from apps.accounts.models import User
from apps.accounts.profiles import avatars
from apps.demo import photographs, texts
from apps.demo.logins import CUSTOMER_PHONE, MANAGER_PASSWORD, MANAGER_PHONE
from apps.demo.places import CITIES

PEOPLE_COUNT = 200
#: One person in so many shows no face, but their first letter.
WITHOUT_FACE_EVERY = 4
FIRST_PHONE = 13800001000

_TEXTS = texts.read("people")
GIVEN_NAMES, FAMILY_NAMES = _TEXTS["given_names"], _TEXTS["family_names"]
#: One person in this many has a Chinese name, and writes about themselves in Chinese.
CHINESE_EVERY = 3
CHINESE_GIVEN_NAMES, CHINESE_FAMILY_NAMES = _TEXTS["chinese_given_names"], _TEXTS["chinese_family_names"]
#: Two people in three say something of themselves.
BIOS, CHINESE_BIOS, WITH_BIO = _TEXTS["bios"], _TEXTS["chinese_bios"], 0.66


def make(seed: int) -> int:
    """Make the customer, 200 people, and with DEMO or DEBUG the manager; return how many are new."""
    wanted = [_make_customer(), *(_build_person(number, seed) for number in range(PEOPLE_COUNT))]
    before = User.objects.count()
    User.objects.bulk_create(wanted, ignore_conflicts=True)
    if User.objects.count() > before:
        _store_faces(wanted)
    if (settings.DEMO or settings.DEBUG) and not User.objects.filter(phone=MANAGER_PHONE).exists():
        User.objects.create_superuser(MANAGER_PHONE, MANAGER_PASSWORD, nickname="Manager", city="Hangzhou")
    return User.objects.count() - before


def all_ids() -> list[int]:
    """Return the user ids of the 200 people, in the order of their phone numbers."""
    phones = [_phone(number) for number in range(PEOPLE_COUNT)]
    return list(User.objects.filter(phone__in=phones).order_by("phone").values_list("pk", flat=True))


def find_writer(number: int, *, chinese: bool) -> int:
    """The number of a person, or of one beside them, who has a name in that language."""
    first = number - number % CHINESE_EVERY
    if chinese:
        return first + CHINESE_EVERY - 1
    return number if not _is_chinese(number) else first + number // CHINESE_EVERY % (CHINESE_EVERY - 1)


def _is_chinese(number: int) -> bool:
    return number % CHINESE_EVERY == CHINESE_EVERY - 1


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
    chinese = _is_chinese(number)
    return User(
        phone=_phone(number),
        nickname=_build_chinese_name(number) if chinese else _build_name(number),
        city=CITIES[number % 2].name[chinese],
        bio=chance.choice(CHINESE_BIOS if chinese else BIOS) if chance.random() < WITH_BIO else "",
        avatar="" if number % WITHOUT_FACE_EVERY == 1 else _avatar_path(number, seed),
        joined_at=timezone.now() - timedelta(days=chance.randint(90, 900)),
        password=make_password(None),
    )


def _build_name(number: int) -> str:
    return f"{GIVEN_NAMES[number % len(GIVEN_NAMES)]} {FAMILY_NAMES[number * 7 % len(FAMILY_NAMES)]}"


def _build_chinese_name(number: int) -> str:
    """A family and a given name, of which there are more pairs than people."""
    turn = number // CHINESE_EVERY
    family = CHINESE_FAMILY_NAMES[turn * 7 % len(CHINESE_FAMILY_NAMES)]
    return f"{family}{CHINESE_GIVEN_NAMES[turn % len(CHINESE_GIVEN_NAMES)]}"


def _avatar_path(number: int, seed: int) -> str:
    """Where a person's picture is stored: a file of their own, as everybody has who uploads one."""
    return f"avatars/{sha256(f'{seed}:face:{number}'.encode()).hexdigest()[:32]}.webp"


def _store_faces(people: Sequence[User]) -> None:
    """Store the drawn faces of people who show one; each face belongs to some of them."""
    drawn = [_encode(avatars.draw_face(name)) for name in avatars.FACES]
    for number, person in enumerate(people):
        if person.avatar.name:
            photographs.store_file(person.avatar.name, drawn[number % len(drawn)])


def _encode(png: bytes) -> bytes:
    file = BytesIO()
    with Image.open(BytesIO(png)) as picture:
        picture.convert("RGB").save(file, "WEBP", quality=80)
    return file.getvalue()


def _phone(number: int) -> str:
    return f"+86{FIRST_PHONE + number}"
