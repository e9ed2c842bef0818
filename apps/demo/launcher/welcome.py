"""Prints the demo's addresses and its log-ins in a box, when the site answers."""

import urllib.error
import urllib.request

from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from apps.demo.logins import (
    ADVERTISER_PHONE,
    CASHIER_PHONE,
    CUSTOMER_PHONE,
    MANAGER_PASSWORD,
    MANAGER_PHONE,
    MODERATOR_PHONE,
    OWNER_PHONE,
)


def site_is_up(port: int) -> bool:
    """Whether /healthz answers 200 on that port of loopback."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def print_welcome(port: int) -> None:
    """Print the box with the addresses for that port to standard output."""
    site = f"http://127.0.0.1:{port}"
    rows = Table.grid(padding=(0, 3))
    rows.add_row("Site", f"[bold]{site}/[/bold]")
    rows.add_row("Log in", f"{CUSTOMER_PHONE}, the code appears on the page")
    rows.add_row("Admin", f"{site}/admin/\n{MANAGER_PHONE}, password {MANAGER_PASSWORD}")
    rows.add_row("Ads", f"{ADVERTISER_PHONE}, the same password: one advertiser's campaigns")
    rows.add_row("Moderator", f"{MODERATOR_PHONE}, the same password: what people reported")
    rows.add_row("Shop owner", f"{OWNER_PHONE}, the same password: two shops, their sales and orders")
    rows.add_row("Cashier", f"{site}/redeem/\n{CASHIER_PHONE}, the code appears on the page")
    rows.add_row("API", f"{site}/api/docs")
    rows.add_row("Stop", "Ctrl-C; 'make demo' goes on where you left, 'make demo RESET=1' starts over")
    Console().print(Panel(rows, title="Savor is open", box=box.ROUNDED, expand=False, padding=(1, 3)))
