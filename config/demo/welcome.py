"""The box that says where the demo is and who can log in."""

import urllib.error
import urllib.request

from django.apps import apps
from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.table import Table


def answers(port: int) -> bool:
    """Whether the site says that it is alive."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def show(port: int) -> None:
    """Print the addresses and the log-ins."""
    site = f"http://127.0.0.1:{port}"
    rows = Table.grid(padding=(0, 2))
    for name, value in (
        ("Site", f"[bold]{site}/[/bold]"),
        ("Log in as", f"{_phone(is_staff=False)}   the code appears on the page"),
        ("Admin", f"{site}/admin/   {_phone(is_superuser=True)}   password: {password()}"),
        ("API", f"{site}/api/docs"),
        ("Stop", "Ctrl-C; 'make demo' goes on where you left"),
    ):
        rows.add_row(name, value)
    Console().print(Panel(rows, title="Savor is open", box=box.ROUNDED, expand=False, padding=(1, 3)))


def _phone(**role: bool) -> str:
    people = apps.get_model("accounts", "User")._default_manager
    return str(people.filter(**role).order_by("pk").values_list("phone", flat=True).first() or "nobody yet")


def password() -> str:
    return "savor-demo"
