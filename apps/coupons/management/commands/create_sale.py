import json
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from apps.coupons.catalog import load_lab
from apps.coupons.claims import loading
from apps.coupons.models import FlashSale
from apps.redis_kit import client
from apps.shops.models import Shop

HOUR_SECONDS = 3_600.0


class Command(BaseCommand):
    help = "Make a flash sale, load it into Redis and print its voucher's id."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--stock", type=int, required=True, help="units on sale")
        parser.add_argument("--begins-in", type=float, default=0, metavar="SECONDS", help="default 0: now")
        parser.add_argument(
            "--lasts", type=float, default=HOUR_SECONDS, metavar="SECONDS", help="default an hour"
        )
        parser.add_argument("--shop", type=int, metavar="ID", help="default: the Load lab, listed nowhere")
        parser.add_argument("--count", type=int, default=1, help="so many of them (default 1)")
        parser.add_argument("--json", action="store_true", help="print each sale as a line of JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        for _ in range(options["count"]):
            sale = _create_sale(options)
            facts = _sale_facts(sale)
            if options["json"]:
                self.stdout.write(json.dumps(facts))
            else:
                self.stdout.write(f"Voucher {sale.pk}: {sale.stock_total} units from {facts['begins_at']}")


def _create_sale(options: dict[str, Any]) -> FlashSale:
    try:
        begins_in, lasts = (timedelta(seconds=options[name]) for name in ("begins_in", "lasts"))
        return load_lab.create_sale(
            options["stock"], begins_in=begins_in, lasts=lasts, shop_id=options["shop"]
        )
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from None
    except Shop.DoesNotExist:
        raise CommandError(f"there is no shop {options['shop']}") from None
    except (OverflowError, ValueError) as error:
        raise CommandError(f"no such time: {error}") from None


def _sale_facts(sale: FlashSale) -> dict[str, object]:
    sale.refresh_from_db()
    times = {"begins_at": sale.begins_at.isoformat(), "ends_at": sale.ends_at.isoformat()}
    return {"voucher_id": sale.pk, "stock": sale.stock_total, **times, "loaded": _is_loaded(sale)}


def _is_loaded(sale: FlashSale) -> bool:
    try:
        return loading.is_loaded(sale)
    except client.UNAVAILABLE:
        return False
