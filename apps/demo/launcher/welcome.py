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
    rows = Table.grid(padding=(0, 3))
    for name, text in describe(f"http://127.0.0.1:{port}"):
        rows.add_row(name, text)
    rows.add_row("Stop", "Ctrl-C; 'make demo' goes on where you left, 'make demo RESET=1' starts over")
    Console().print(Panel(rows, title="Savor is open", box=box.ROUNDED, expand=False, padding=(1, 3)))


def describe(site: str) -> list[tuple[str, str]]:
    """(name, where it is and how to get in) of what the demo has; the README's table has the same names."""
    return [
        ("Site", f"[bold]{site}/[/bold]\n{CUSTOMER_PHONE}, the code appears on the page"),
        ("Admin", f"{site}/admin/\n{MANAGER_PHONE}, password {MANAGER_PASSWORD}"),
        ("Shop owner", f"{OWNER_PHONE}, there with the same password: two shops, their sales and orders"),
        ("Moderator", f"{MODERATOR_PHONE}, the same password: what people reported"),
        ("Advertiser", f"{ADVERTISER_PHONE}, the same password: own campaigns"),
        ("Cashier", f"{site}/redeem/\n{CASHIER_PHONE}, the code appears on the page"),
        ("API", f"{site}/api/docs"),
        ("Lens", f"{site}/lens/ shows the Redis commands and the SQL of each page"),
        ("Health", f"{site}/readyz"),
    ]
