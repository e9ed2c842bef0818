"""Reads the environment's variables for the settings; ImproperlyConfigured in one sentence for a wrong one.

No sentence repeats the value of a URL: it may hold a password.
"""

import ast
import builtins
import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import environ
from django.core.exceptions import ImproperlyConfigured

from apps.redis_kit.connections import addresses

Parsed = TypeVar("Parsed")

_TRUE, _FALSE = ("true", "on", "ok", "y", "yes", "1"), ("false", "off", "n", "no", "0", "")
#: The largest number without limits of its own: a terabyte, or 30,000 years in seconds.
MAX_NUMBER = 10**12
MAX_SHOWN_LENGTH = 60
_DATABASE_SCHEMES = {"sqlite", "postgres", "postgresql", "psql", "pgsql"}
_DATABASE_FORM = "write postgres://user:password@host:5432/name, or sqlite:////var/lib/savor/savor.sqlite3."


class Environment(environ.Env):  # type: ignore[misc]  # it has no types
    """django-environ's reader, which refuses what is no switch, no number or out of range."""

    def bool(self, var: str, default: Any = environ.Env.NOTSET) -> builtins.bool:
        """Whether a switch is on; only the usual words for on and off are taken."""
        text = self.str(var, default="1" if default else "0").strip().lower()
        if text not in _TRUE + _FALSE:
            raise ImproperlyConfigured(f"{var} is {_show(text)}: set it to 1 (on) or 0 (off).")
        return text in _TRUE

    def float(
        self, var: str, default: Any = environ.Env.NOTSET, *, most: builtins.int = MAX_NUMBER
    ) -> builtins.float:
        """A finite number from 0 to `most`."""
        return float(self._number(var, default, most, kind=float))

    def db(self, var: str, default: Any = environ.Env.NOTSET, engine: Any = None) -> dict[str, Any]:
        """Django's settings of the database that a URL names: SQLite or PostgreSQL."""
        url = self.str(var, default=default)
        try:
            parts = urlsplit(url)
            if parts.scheme not in _DATABASE_SCHEMES:
                raise ImproperlyConfigured(f"{var} is not the URL of SQLite or PostgreSQL: {_DATABASE_FORM}")
            if parts.scheme == "sqlite" and (parts.netloc or parts.path in ("", "/")):
                raise ImproperlyConfigured(f"{var} names no file after its three slashes: {_DATABASE_FORM}")
            return dict(self.db_url_config(url, engine=engine))
        except ValueError:
            raise ImproperlyConfigured(f"{var} can't be read as a URL: {_DATABASE_FORM}") from None

    def _number(self, var: str, default: Any, most: builtins.int, *, kind: type) -> Any:
        text = self.str(var, default=str(default)).strip()
        try:
            # Python reads digits of every script and 1_000 too; a person who types them means something else.
            number = kind(text) if text.isascii() and "_" not in text else math.nan
        except ValueError:
            number = math.nan
        if not 0 <= number <= most:
            whole = "a whole number" if kind is int else "a number"
            raise ImproperlyConfigured(f"{var} is {_show(text)}: set it to {whole} from 0 to {most}.")
        return number

    def int(
        self, var: str, default: Any = environ.Env.NOTSET, *, most: builtins.int = MAX_NUMBER
    ) -> builtins.int:
        """A whole number from 0 to `most`."""
        return int(self._number(var, default, most, kind=int))


def require_redis_url(var: str, url: str) -> str:
    """The URL, if a Redis connection can be read from it; else ImproperlyConfigured."""
    form = "write redis://host:6379/0, or another form of docs/operations.md."
    try:
        addresses.parse(url)
    except ValueError as error:
        reason = str(error).removeprefix("REDIS_URL: ")
        raise ImproperlyConfigured(f"{var} is not the URL of a Redis server ({reason}): {form}") from None
    try:
        # A list of hosts has no port of its own; each was read above.
        _port = urlsplit(url).port if "," not in url else None
    except ValueError:
        raise ImproperlyConfigured(f"{var} has a port that is no number: {form}") from None
    return url


def require_web_url(var: str, url: str) -> str:
    """The URL, if it is an http or https one with a host; else ImproperlyConfigured."""
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or not url.isprintable() or " " in url:
        raise ImproperlyConfigured(
            f"{var} is no address of a web server: write https://host/ or http://host/."
        )
    return url


def require_time_zone(var: str, name: str) -> str:
    """The name, if the zone is known; else ImproperlyConfigured."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ImproperlyConfigured(
            f"{var} is {_show(name)}, and there is no such time zone: write one like Asia/Shanghai or UTC."
        ) from None
    return name


def parse_setting(var: str, text: str, parse: Callable[[str], Parsed]) -> Parsed:
    """The parsed text; ImproperlyConfigured for what `parse` refuses with a ValueError, without its value."""
    try:
        return parse(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{var} {error}.") from None


def require_class(var: str, path: str) -> str:
    """The dotted path, if its module exists and has that name; else ImproperlyConfigured.

    The module is read and not imported: it may need models, which settings come before.
    """
    module_name, _, class_name = path.rpartition(".")
    try:
        spec = importlib.util.find_spec(module_name) if module_name else None
    except (ImportError, ValueError, AttributeError):
        spec = None
    if spec is None or not spec.origin or not Path(spec.origin).is_file():
        raise ImproperlyConfigured(
            f"{var} is {_show(path)}, and there is no such module: write the dotted path of a class, "
            "package.module.Class."
        )
    tree = ast.parse(Path(spec.origin).read_bytes())
    if missing := _missing_packages(tree):
        raise ImproperlyConfigured(
            f"{var} is {_show(path)}, and its package {missing} is not installed: "
            "pip install --require-hashes -r requirements-providers.lock."
        )
    if class_name not in _top_level_names(tree):
        raise ImproperlyConfigured(f"{var} is {_show(path)}, and {module_name} has no {_show(class_name)}.")
    return path


def _missing_packages(tree: ast.Module) -> str:
    """The first package that a module imports and that is not installed; else ""."""
    for node in tree.body:
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        for package in (module.partition(".")[0] for module in modules):
            if importlib.util.find_spec(package) is None:
                return package
    return ""


def _top_level_names(tree: ast.Module) -> set[str]:
    """The classes and imported or assigned names of a module."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names.update((alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


def _show(text: str) -> str:
    """A value on one line, shortened; empty ones and those with odd characters in quotes."""
    start = text[:MAX_SHOWN_LENGTH]
    return start if start.isprintable() and start.strip() else repr(start)
