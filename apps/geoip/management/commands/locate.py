"""`locate`: print where addresses are."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.geoip import locating
from apps.redis_kit import client


class Command(BaseCommand):
    help = "Print where addresses are; with --json a line each: ip, city, country; null where unknown."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("addresses", nargs="+", metavar="IP")
        parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object a line")

    def handle(self, *, addresses: list[str], as_json: bool, **options: Any) -> None:
        try:
            places = locating.locate_many(addresses)
        except client.UNAVAILABLE as error:
            raise CommandError(f"Redis is away: {error}") from error
        for address, place in zip(addresses, places, strict=True):
            city, country = (place.city or None, place.country or None) if place else (None, None)
            if as_json:
                self.stdout.write(json.dumps({"ip": address, "city": city, "country": country}))
            else:
                self.stdout.write(f"{address}: {', '.join(filter(None, [city, country])) or 'unknown'}")
