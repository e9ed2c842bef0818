"""The box that says where the demo is and who can log in."""

import urllib.error
import urllib.request

from django.utils.module_loading import import_string
from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.table import Table


def site_is_up(port: int) -> bool:
    """Whether the site says that it is alive."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def print_welcome(port: int) -> None:
    """Print the addresses and the log-ins."""
    site = f"http://127.0.0.1:{port}"
    # By name, because people.py holds models: it can be imported only once the applications are set up.
    customer, manager, password = (
        import_string(f"apps.demo.people.{name}")
        for name in ("CUSTOMER_PHONE", "MANAGER_PHONE", "MANAGER_PASSWORD")
    )
    rows = Table.grid(padding=(0, 3))
    rows.add_row("Site", f"[bold]{site}/[/bold]")
    rows.add_row("Log in", f"{customer}, the code appears on the page")
    rows.add_row("Admin", f"{site}/admin/\n{manager}, password {password}")
    rows.add_row("API", f"{site}/api/docs")
    rows.add_row("Stop", "Ctrl-C; 'make demo' goes on where you left, 'make demo RESET=1' starts over")
    Console().print(Panel(rows, title="Savor is open", box=box.ROUNDED, expand=False, padding=(1, 3)))
