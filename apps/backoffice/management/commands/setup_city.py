"""`manage.py setup_city`: the first manager, a city and ten types of shops, for a site without the demo."""

import getpass
import os
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from apps.accounts import phones
from apps.backoffice import first_steps
from apps.shops.models import City

PASSWORD_VARIABLE = "MANAGER_PASSWORD"  # noqa: S105 - a name
NEXT = """
What to do next:
  1. Start the site's processes (Procfile; docs/deployment.md), and open {url}/admin/.
  2. Log in as {phone}, and follow the list on the dashboard: shops, the first flash sale, text messages,
     payments, a backup.
  3. The name, currency, languages and region of phone numbers are settings: SITE_NAME={name},
     CURRENCY={currency}, LANGUAGES={languages}, PHONE_REGION={region}. Choose the currency first of all.
"""


class Command(BaseCommand):
    help = (
        "Make the first manager, a city and ten types of shops. Asks for what no option says; "
        f"--no-input asks nothing and takes the password from {PASSWORD_VARIABLE}. Safe to run again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--phone", default="", help="the manager's phone: +81 90 1234 5678")
        parser.add_argument("--nickname", default="", help='"Manager" if left out')
        parser.add_argument("--name-en", default="", help="the city's English name")
        parser.add_argument("--name-zh", default="", help="the city's Chinese name")
        parser.add_argument("--slug", default="", help="the city's name in addresses; from the English name")
        parser.add_argument("--lat", default="", help="latitude of the city's centre, in degrees")
        parser.add_argument("--lng", default="", help="longitude of the city's centre, in degrees")
        parser.add_argument("--radius-km", default="", help="how far the city reaches (10)")
        parser.add_argument(
            "--no-input", action="store_true", help="ask nothing, fail if something is missing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._options = options
        manager = first_steps.find_manager()
        new_manager = None if manager else self._read_manager()
        city = self._read_city() if options["name_en"] or options["name_zh"] or not self._has_city() else None
        types = first_steps.set_up(city, new_manager)
        phone = manager.phone if manager else (new_manager or {})["phone"]
        self.stdout.write(f"Manager: {phone}{'' if new_manager else ' (was there)'}")
        self.stdout.write(f"City: {city or 'was there'}; new types of shops: {types}")
        self.stdout.write(self._describe_next(phone))

    def _has_city(self) -> bool:
        return City.objects.exists()

    def _read_manager(self) -> dict[str, Any]:
        phone = self._read("phone", "The manager's phone, with its country code", _read_phone)
        nickname = self._options["nickname"] or "Manager"

        def check(password: str) -> str:
            first_steps.check_password(password, phone=phone, nickname=nickname)
            return password

        if self._options["no_input"]:
            password = _checked(PASSWORD_VARIABLE, os.environ.get(PASSWORD_VARIABLE, ""), check)
        else:
            password = self._prompt("A password of 12 characters or more", check, getpass.getpass)
        return {"phone": phone, "password": password, "nickname": nickname}

    def _read_city(self) -> City:
        name_en = self._read("name_en", "The city's English name (empty: none)", str)
        name_zh = self._read("name_zh", "The city's Chinese name (empty: none)", str)
        slug = self._options["slug"]
        if not (slug or name_en):
            slug = self._read("slug", "Its name in addresses, such as osaka", str)
        values = {
            "lat": self._read("lat", "Latitude of its centre, in degrees", _read_number),
            "lng": self._read("lng", "Longitude of its centre, in degrees", _read_number),
            "radius_km": self._read(
                "radius_km", "How far it reaches, in kilometres (empty: 10)", _read_radius
            ),
        }
        try:
            return first_steps.build_city(name_en=name_en, name_zh=name_zh, slug=slug, **values)
        except ValidationError as error:
            raise CommandError(f"The city: {_first_sentence(error)} Nothing was written.") from error

    def _read(self, name: str, question: str, parse: Callable[[str], Any]) -> Any:
        """The option, or the answer to a question."""
        given = self._options[name]
        if given or self._options["no_input"]:
            return _checked(f"--{name.replace('_', '-')}", given, parse)
        return self._prompt(question, parse, input)

    def _prompt(self, question: str, parse: Callable[[str], Any], read: Callable[[str], str]) -> Any:
        while True:
            try:
                return parse(read(f"{question}: ").strip())
            except (ValueError, ValidationError) as error:
                self.stderr.write(_first_sentence(error))
            except (EOFError, KeyboardInterrupt) as error:
                raise CommandError("Stopped; nothing was written.") from error

    def _describe_next(self, phone: str) -> str:
        return NEXT.format(
            url=settings.SITE_URL,
            phone=phone,
            name=settings.SITE_NAME,
            currency=settings.CURRENCY,
            languages=",".join(code for code, _name in settings.LANGUAGES),
            region=settings.PHONE_REGION,
        )


def _checked(name: str, given: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(given)
    except (ValueError, ValidationError) as error:
        raise CommandError(f"{name}: {_first_sentence(error)} Nothing was written.") from error


def _read_phone(typed: str) -> str:
    try:
        return phones.parse(typed)
    except phones.BadPhone as error:
        raise ValueError(error.args[0]) from error


def _read_radius(typed: str) -> float:
    return _read_number(typed or "10")


def _read_number(typed: str) -> float:
    try:
        return float(typed)
    except ValueError as error:
        raise ValueError(f"write a number, such as 30.25, in place of {typed!r}") from error


def _first_sentence(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return f"{error}".rstrip(".") + "."
    if hasattr(error, "error_dict"):
        name, sentences = next(iter(error.message_dict.items()))
        return sentences[0] if name == "__all__" else f"{name}: {sentences[0]}"
    return error.messages[0]
