"""Reads the environment's variables for the settings; ImproperlyConfigured in one sentence for a wrong one.

No sentence repeats the value of a URL: it may hold a password.
"""

import ast
import builtins
import importlib.util
import io
import math
import os
import re
from collections.abc import Callable, Sequence
from email.utils import parseaddr
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo

import environ
import kombu
import redis
from django.core.exceptions import ImproperlyConfigured

from apps.redis_kit import addresses

Parsed = TypeVar("Parsed")

_TRUE, _FALSE = ("true", "on", "ok", "y", "yes", "1"), ("false", "off", "n", "no", "0", "")
#: The largest number without limits of its own: a terabyte, or 30,000 years in seconds.
MAX_NUMBER = 10**12
MAX_SHOWN_LENGTH = 60
_DATABASE_SCHEMES = {"sqlite", "postgres", "postgresql", "psql", "pgsql"}
_DATABASE_FORM = "write postgres://user:password@host:5432/name, or sqlite:////var/lib/savor/savor.sqlite3."
_MAIL_SCHEMES = {"smtp", "smtps", "smtp+tls", "smtp+ssl", "consolemail", "dummymail"}
_BROKER_SCHEMES = {"redis", "rediss", "redis+socket", "sentinel", "memory"}
_FILE_LINE = re.compile(r"(export )?[A-Za-z_0-9]+=[^\0]*")


class Environment(environ.Env):  # type: ignore[misc]  # it has no types
    """django-environ's reader, which refuses what is no switch, no number or out of range."""

    def read_file(self, path: Path) -> None:
        """Set the variables of a file of NAME=value lines that are not set yet; no file is fine."""
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise ImproperlyConfigured(
                f"{path.name} can't be read ({reason}): let the site's user read it."
            ) from None
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.startswith("#") and not _FILE_LINE.fullmatch(line):
                raise ImproperlyConfigured(
                    f"{path.name} has no NAME=value in line {number}: write it without spaces around the "
                    "equals sign, or begin it with #."
                )
        self.read_env(io.StringIO("\n".join(line for line in lines if line.strip())))

    def str(
        self, var: builtins.str, default: Any = environ.Env.NOTSET, multiline: builtins.bool = False
    ) -> Any:
        """The text of a variable as it is: a password may begin with a dollar sign."""
        return os.environ.get(var, default)

    def list(self, var: builtins.str, cast: Any = None, default: Any = environ.Env.NOTSET) -> Any:
        """The parts of a text between its commas, without the spaces around them and without empty ones."""
        text = self.str(var, default=None)
        return default if text is None else [part.strip() for part in text.split(",") if part.strip()]

    def bool(self, var: builtins.str, default: Any = environ.Env.NOTSET) -> builtins.bool:
        """Whether a switch is on; only the usual words for on and off are taken."""
        text = self.str(var, default="1" if default else "0").strip().lower()
        if text not in _TRUE + _FALSE:
            raise ImproperlyConfigured(f"{var} is {_show(text)}: set it to 1 (on) or 0 (off).")
        return text in _TRUE

    def float(
        self, var: builtins.str, default: Any = environ.Env.NOTSET, *, most: builtins.int = MAX_NUMBER
    ) -> builtins.float:
        """A finite number from 0 to `most`."""
        return float(self._number(var, default, 0, most, kind=float))

    def db(
        self, var: builtins.str, default: Any = environ.Env.NOTSET, engine: Any = None
    ) -> dict[builtins.str, Any]:
        """Django's settings of the database that a URL names: SQLite or PostgreSQL."""
        url = self.str(var, default=default)
        parts = _split_url(var, url, _DATABASE_FORM)
        if parts.scheme not in _DATABASE_SCHEMES:
            raise ImproperlyConfigured(f"{var} is not the URL of SQLite or PostgreSQL: {_DATABASE_FORM}")
        if parts.scheme == "sqlite" and (parts.netloc or parts.path in ("", "/")):
            raise ImproperlyConfigured(f"{var} names no file after its three slashes: {_DATABASE_FORM}")
        if parts.path in ("", "/"):
            raise ImproperlyConfigured(f"{var} names no database after the host: {_DATABASE_FORM}")
        return dict(self.db_url_config(url, engine=engine))

    def email(
        self, var: builtins.str, default: Any = environ.Env.NOTSET, backend: Any = None
    ) -> dict[builtins.str, Any]:
        """Django's EMAIL_* settings of the server that a URL names."""
        url, form = self.str(var, default=default), "write smtp+tls://user:password@host:587."
        parts = _split_url(var, url, form)
        if parts.scheme not in _MAIL_SCHEMES or parts.scheme.startswith("smtp") and not parts.hostname:
            raise ImproperlyConfigured(f"{var} is not the URL of a mail server: {form}")
        return dict(self.email_url_config(url, backend=backend))

    def _number(
        self, var: builtins.str, default: Any, least: builtins.int, most: builtins.int, *, kind: type
    ) -> Any:
        text = self.str(var, default=str(default)).strip()
        try:
            # Python reads digits of every script and 1_000 too; a person who types them means something else.
            number = kind(text) if text.isascii() and "_" not in text else math.nan
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            whole = "a whole number" if kind is int else "a number"
            raise ImproperlyConfigured(f"{var} is {_show(text)}: set it to {whole} from {least} to {most}.")
        return number

    def int(
        self,
        var: builtins.str,
        default: Any = environ.Env.NOTSET,
        *,
        least: builtins.int = 0,
        most: builtins.int = MAX_NUMBER,
    ) -> builtins.int:
        """A whole number from `least` to `most`."""
        return int(self._number(var, default, least, most, kind=int))


def _split_url(var: str, url: str, form: str) -> SplitResult:
    """The parts of a URL; ImproperlyConfigured for one that can't be read as its writer meant it."""
    try:
        parts = addresses.split(url)
        # A list of hosts has no port of its own; each is read elsewhere.
        _port = parts.port if "," not in parts.netloc else None
    except ValueError:
        raise ImproperlyConfigured(f"{var} can't be read as a URL: {form}") from None
    names = [pair.partition("=")[0] for pair in parts.query.split("&")]
    if parts.netloc and any("@" in text for text in (parts.path, parts.fragment, *names)):
        raise ImproperlyConfigured(
            f"{var} has a password with a bare /, ? or #: write %2F, %3F or %23 in its place."
        )
    return parts


def require_redis_url(var: str, url: str) -> str:
    """The URL, if a Redis connection can be read from it; else ImproperlyConfigured."""
    form = "write redis://host:6379/0, or another form of docs/operations.md."
    _split_url(var, url, form)
    try:
        there = addresses.parse(url)
    except ValueError as error:
        reason = str(error).removeprefix("REDIS_URL: ")
        raise ImproperlyConfigured(f"{var} is not the URL of a Redis server ({reason}): {form}") from None
    if there.kind == "single":
        _require_known_options(var, url, form)
    authority = there.tls.get("ssl_ca_certs")
    if authority and not Path(authority).is_file():
        raise ImproperlyConfigured(
            f"{var} has an ssl_ca_certs that is no file: name the authority's PEM file."
        )
    return url


def _require_known_options(var: str, url: str, form: str) -> None:
    """Make the connection object of one server, which doesn't connect yet, and refuses unknown options."""
    try:
        redis.ConnectionPool.from_url(url).make_connection()
    except (ValueError, TypeError, redis.RedisError):
        raise ImproperlyConfigured(f"{var} has an option that Redis clients don't know: {form}") from None


def require_broker_url(var: str, url: str) -> str:
    """The URL, if Celery can use it as a broker on Redis; else ImproperlyConfigured."""
    form = "write redis://host:6379/1, or another form of docs/operations.md."
    for part in url.split(";"):
        scheme = _split_url(var, part, form).scheme
        if scheme in ("redis+cluster", "redis+sentinel", "rediss+cluster", "rediss+sentinel"):
            raise ImproperlyConfigured(
                f"{var} can't be a Redis Cluster or a redis+sentinel URL, which Celery doesn't know: set it "
                "to one server (redis://host:6379/0) or to Celery's own form (sentinel://host:26379)."
            )
        if scheme not in _BROKER_SCHEMES:
            raise ImproperlyConfigured(f"{var} is not the URL of a Redis server: {form}")
    try:
        kombu.Connection(url)
    except (ValueError, TypeError):
        raise ImproperlyConfigured(f"{var} has an option that Celery doesn't know: {form}") from None
    return url


def require_hosts(var: str, hosts: Sequence[str]) -> Sequence[str]:
    """The names, if each is a host alone; else ImproperlyConfigured."""
    for host in hosts:
        if not re.fullmatch(r"[\w.*-]+|\[[0-9A-Fa-f]*:[0-9A-Fa-f:.]*\]", host):
            raise ImproperlyConfigured(
                f"{var} has {_show(host)}: write names of hosts without scheme, port and path, such as "
                "savor.example."
            )
    return hosts


def require_mail_addresses(var: str, mail_addresses: Sequence[str]) -> Sequence[str]:
    """The texts, if each is an e-mail address; else ImproperlyConfigured."""
    for text in mail_addresses:
        name, place, domain = parseaddr(text)[1].rpartition("@")
        if not (name and place and domain and text.isprintable()):
            raise ImproperlyConfigured(f"{var} has {_show(text)}: write e-mail addresses, name@host.")
    return mail_addresses


def require_own_directory(var: str, path: Path, *others: Path) -> Path:
    """The path, if none of the other directories lies in it: all that it holds may be deleted.

    Else ImproperlyConfigured.
    """
    for other in others:
        if other.is_relative_to(path.resolve()):
            raise ImproperlyConfigured(
                f"{var} is {_show(str(path))}, where other things lie too: name a directory of its own."
            )
    return path


def require_tiles(var: str, template: str) -> str:
    """The URL template of map tiles, or "" for none; else ImproperlyConfigured."""
    form = "write https://host/{z}/{x}/{y}.png, or a path that begins with /."
    parts = _split_url(var, template, form)
    is_place = bool(parts.netloc) if parts.scheme in ("http", "https") else template.startswith("/")
    # The host becomes part of the Content-Security-Policy.
    is_host = re.fullmatch(r"[\w.{}:\[\]-]*", parts.netloc)
    has_numbers = all(field in template for field in ("{z}", "{x}", "{y}"))
    if template and not (is_place and is_host and has_numbers and template.isprintable()):
        raise ImproperlyConfigured(f"{var} is no template of map tiles: {form}")
    return template


def require_web_url(var: str, url: str) -> str:
    """The URL, if it is an http or https one with a host; else ImproperlyConfigured."""
    form = "write https://host/ or http://host/."
    parts = _split_url(var, url, form)
    is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    if not is_good or not url.isprintable() or " " in url:
        raise ImproperlyConfigured(f"{var} is no address of a web server: {form}")
    if "@" in parts.netloc:
        # It would stand in messages about errors.
        raise ImproperlyConfigured(f"{var} has a user or a password before its host: {form}")
    return url


def require_origins(var: str, origins: Sequence[str]) -> list[str]:
    """The origins as browsers send them, without a slash at the end; else ImproperlyConfigured."""
    found = [require_web_url(var, origin).removesuffix("/") for origin in origins]
    for origin in found:
        if origin.lower() != origin or origin.count("/") != 2 or "?" in origin or "#" in origin:
            raise ImproperlyConfigured(f"{var} is no origin: write https://app.example, in small letters.")
    return found


def require_dsn(var: str, url: str) -> str:
    """The address, if a Sentry's client can report to it, or ""; else ImproperlyConfigured."""
    try:
        parts = urlsplit(url)
        has_server = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        project = parts.path.rpartition("/")[2]
        is_good = has_server and bool(parts.username) and project.isascii() and project.isdigit()
    except ValueError:
        is_good = False
    if url and not (is_good and url.isprintable() and " " not in url):
        raise ImproperlyConfigured(
            f"{var} is not the address of a Sentry's project: write https://key@host/1."
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


def require_package(var: str, package: str, *, lock: str = "requirements-providers.lock") -> None:
    """ImproperlyConfigured if a package that the variable needs is not installed."""
    try:
        is_installed = importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        # Not even the package around it is there.
        is_installed = False
    if not is_installed:
        raise ImproperlyConfigured(
            f"{var} is set, and its package {package} is not installed: "
            f"pip install --require-hashes -r {lock}."
        )


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
