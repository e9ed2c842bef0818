"""What apps give to others stands in their provides.py, in real imports."""

import ast
import runpy
from functools import cache
from typing import Any

from tests.checks import sources

#: Names that come from settings, from a walk over a package, or from a package that is costly to import.
IMPORTED_BY_NAME = {
    "apps/coupons/payments/provider.py",
    "apps/outbox/sms.py",
    "apps/patterns/registry.py",
    "apps/web/names/readings.py",
}


@cache
def listed() -> dict[str, Any]:
    return runpy.run_path(str(sources.ROOT / "docs" / "list_plug_points.py"))


def test_the_table_of_plug_points_names_every_registry() -> None:
    table = listed()["render"]()
    assert all(f"| `{one.short_name}` |" in table for one in listed()["find_points"]().registries.values())


def test_two_apps_register_in_a_registry() -> None:
    """With one it becomes an argument, a tag or an import, or says in ONE_APP why it can't."""
    assert set(listed()["find_points"]().with_one_app()) == set(listed()["ONE_APP"])


def test_registrations_stand_in_provides() -> None:
    assert listed()["find_points"]().elsewhere == []


def test_one_app_looks_for_provides_and_no_other_is_ready() -> None:
    """But for the one that starts Sentry's client, which is installed with SENTRY_DSN alone."""
    ready = [
        source.path
        for source in sources.python_sources("apps")
        if source.path.endswith("/apps.py") and any(each.name == "ready" for each in source.functions)
    ]
    assert ready == ["apps/error_reports/apps.py", "apps/web/apps.py"]


def test_no_module_is_imported_by_a_name_in_a_string() -> None:
    importers = {
        source.path
        for source in sources.python_sources("apps", "config")
        for call in source.calls
        if ast.unparse(call.func).rpartition(".")[2] in {"import_module", "import_string", "__import__"}
    }
    assert importers == IMPORTED_BY_NAME
