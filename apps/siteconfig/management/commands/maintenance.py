from argparse import ArgumentParser
from datetime import datetime, timedelta
from getpass import getuser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from apps.redis_kit import client
from apps.siteconfig.maintenance import switch
from apps.siteconfig.maintenance.usual_texts import USUAL_TEXTS


class Command(BaseCommand):
    help = "Closes the site for maintenance, opens it again, or says which of both it is."
    # It has to work while SQL is migrated and while a URL or template fails its check.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["on", "off", "status"])
        parser.add_argument("--until", help='expected end: "2026-11-24 02:30", in the time of the site')
        parser.add_argument("--minutes", type=int, help="expected end, so many minutes from now")
        parser.add_argument("--text-en", default="", help="a sentence for people, in English")
        parser.add_argument("--text-zh", default="", help="a sentence for people, in Chinese")

    def handle(self, *, action: str, **options: Any) -> None:
        try:
            if action == "on":
                texts = USUAL_TEXTS.current().model_dump()
                texts |= {name: options[name] for name in texts if options[name]}
                switch.close_site(until=_read_end(options), changed_by=_operator(), **texts)
            elif action == "off":
                switch.open_site(changed_by=_operator())
            self.stdout.write(_describe())
        except client.UNAVAILABLE as error:
            raise CommandError(f"Redis does not answer, so the site is open: {error}") from error


def _read_end(options: dict[str, Any]) -> datetime | None:
    """When the maintenance is expected to end, or None."""
    if options["minutes"]:
        return timezone.now() + timedelta(minutes=options["minutes"])
    if not options["until"]:
        return None
    try:
        end = parse_datetime(options["until"])
    except ValueError:
        end = None
    if end is None:
        raise CommandError('--until is a date and a time, such as "2026-11-24 02:30"')
    end = end if timezone.is_aware(end) else timezone.make_aware(end)
    if end <= timezone.now():
        raise CommandError("--until has passed")
    return end


def _operator() -> str:
    return f"{getuser()} (manage.py)"


def _describe() -> str:
    closed = switch.read()
    if closed is None:
        return "open"
    end = f", expected until {timezone.localtime(closed.until):%Y-%m-%d %H:%M}" if closed.until else ""
    return f"closed since {timezone.localtime(closed.since):%Y-%m-%d %H:%M} by {closed.changed_by}{end}"
