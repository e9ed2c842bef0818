"""The options of `make load`: command-line options, or make variables of the same name."""

import argparse
import ipaddress
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from apps.demo import embedded_address
from lab.load import plan, thresholds
from lab.load.thresholds import Threshold

ROOT = Path(__file__).resolve().parent.parent.parent


#: Connections of bots and of the crush, and seconds of a run with phases.
MAX_BOTS, MAX_CRUSH, MIN_SECONDS, MAX_SECONDS = 1_000, 5_000, 2.0, 86_400.0
#: Requests a second of the open model; past any id of a row.
MAX_RATE, MAX_ID = 100_000.0, 2**63


class Refusal(Exception):
    """Raised for a load that the lab refuses to run; the message says why."""


@dataclass(frozen=True)
class Options:
    """How many people want how many units, and how much load they make."""

    users: int
    stock: int
    concurrency: int
    duration: float | None
    processes: int
    sales: int
    bots: int
    crush: int
    browsers: bool
    opening: float
    nginx: bool
    url: str | None
    var_dir: Path | None
    web_workers: int
    consumers: int
    database: str
    json: bool
    reports: Path
    profile: str = "rush"
    rate: float = 0.0
    thresholds: Sequence[Threshold] = ()
    #: A site of which the lab sees its answers alone: the file of tokens and the vouchers on sale there.
    tokens: Path | None = None
    vouchers: Sequence[int] = ()
    allow: str = ""

    @property
    def people(self) -> int:
        """How many people need tokens: people, bots, and with a crush as many again as people."""
        return self.users * (2 if self.crush else 1) + self.bots

    def environment(self) -> dict[str, str]:
        """Return the variables by which a running site's commands find its data (see config.settings)."""
        var_dir = (self.var_dir or ROOT / "var").resolve()
        return {
            "VAR_DIR": str(var_dir),
            "DATABASE_URL": self.database or f"sqlite:///{var_dir / 'savor.sqlite3'}",
            "REDIS_URL": os.environ.get("REDIS_URL") or embedded_address.url(var_dir / "redis"),
        }


def parse(words: Sequence[str], environ: Mapping[str, str]) -> Options:
    """Return the options; a make variable is the default of its option. Raises Refusal."""
    parser = _parser(environ)
    given = vars(parser.parse_args(words))
    options = Options(**given | _read_texts(given))
    _refuse_odd(options)
    _refuse_odd_models(options)
    _refuse_odd_sites(options)
    if options.url:
        _refuse_strangers(options.url, options.allow)
    return options


def _read_texts(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are lists written as one text. Raises Refusal."""
    vouchers = given["vouchers"].replace(",", " ").split()
    if not all(one.isdecimal() and one.isascii() and 0 < int(one) < MAX_ID for one in vouchers):
        raise Refusal(f"--vouchers takes numbers such as 17,18, not {given['vouchers']}")
    try:
        return {
            "vouchers": [int(one) for one in vouchers],
            "thresholds": thresholds.parse(given["thresholds"]),
        }
    except ValueError as why:
        raise Refusal(f"--thresholds: {why}") from None


def _refuse_odd_models(options: Options) -> None:
    """Raise Refusal for a profile that there isn't, and a rate that doesn't fit."""
    if options.profile not in plan.PROFILES:
        raise Refusal(f"--profile takes {', '.join(plan.PROFILES)}, not {options.profile}")
    if not 0 <= options.rate <= MAX_RATE:
        raise Refusal(f"--rate takes 0 to {MAX_RATE:g} requests a second, not {options.rate:g}")
    if options.rate and not options.duration:
        raise Refusal("--rate takes a --duration: so many requests a second for so many seconds")
    if options.browsers and (options.rate or options.profile != "rush"):
        raise Refusal("--browsers has a plan of its own: leave --rate and --profile out")


def _refuse_odd_sites(options: Options) -> None:
    """Raise Refusal when tokens and vouchers of a foreign site don't come together, or with its data."""
    foreign = [options.url is not None, options.tokens is not None, bool(options.vouchers)]
    if any(foreign[1:]) and not all(foreign):
        raise Refusal("--tokens and --vouchers go together, with --url")
    if options.tokens and (options.bots or options.crush or options.browsers):
        raise Refusal("--bots, --crush and --browsers need a site whose data the lab can reach: no --tokens")


def _refuse_odd(options: Options) -> None:
    """Raise Refusal for numbers out of their range, and for options that don't fit each other."""
    most = min(options.users, 10_000)
    for name, value, top in (
        ("users", options.users, 1_000_000),
        ("stock", options.stock, 1_000_000),
        ("concurrency", options.concurrency, most),
        ("processes", options.processes, 64),
        ("sales", options.sales, 1_000),
    ):
        if not 1 <= value <= top:
            raise Refusal(f"--{name} takes 1 to {top}, not {value}")
    for name, value, top in (("bots", options.bots, MAX_BOTS), ("crush", options.crush, MAX_CRUSH)):
        if not 0 <= value <= top:
            raise Refusal(f"--{name} takes 0 to {top}, not {value}")
    if options.duration and not MIN_SECONDS <= options.duration <= MAX_SECONDS:
        raise Refusal(f"--duration takes {MIN_SECONDS:g} to {MAX_SECONDS:g} seconds, or 0 for everybody once")
    if not MIN_SECONDS <= options.opening <= MAX_SECONDS:
        raise Refusal(f"--opening takes {MIN_SECONDS:g} to {MAX_SECONDS:g} seconds")
    if options.nginx and (options.url or not options.browsers):
        raise Refusal("--nginx takes --browsers and a private site")


def _parser(environ: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("make load", description=__doc__)

    def add(name: str, kind: type, otherwise: object, about: str) -> None:
        # argparse turns a text default into the option's type, and complains as of a typed one.
        default = environ.get(name.upper().replace("-", "_")) or otherwise
        parser.add_argument(f"--{name}", type=kind, default=default, help=f"{about} (default {otherwise})")

    def switch(name: str, about: str) -> None:
        default = environ.get(name.upper()) == "1"
        parser.add_argument(f"--{name}", action="store_true", default=default, help=about)

    add("users", int, 5_000, "people, each with a token of their own")
    add("stock", int, 500, "units on sale")
    add("concurrency", int, 64, "requests under way at once")
    add("duration", float, 20, "seconds of all stages together; 0: everybody asks once")
    add("processes", int, 1, "processes of the load generator")
    add("sales", int, 1, "sales at once, each of so many units; half of the people want the first")
    add("bots", int, 0, "bots beside the people, from the opening on; phases only")
    add("crush", int, 0, "connections of wrk (or else of Python) that press with other people; phases only")
    add("opening", float, 10, "seconds in which everybody opens the page; with --browsers only")
    switch("browsers", "people open the page, hold its stream and press in the sale's first second")
    switch("nginx", "nginx in front of the private site; with --browsers only")
    add("url", str, None, "a running demo on this machine; none: a private site")
    add("var-dir", Path, None, "the running demo's VAR_DIR; with --url only")
    add("web-workers", int, 1, "web processes of the private site")
    add("consumers", int, 1, "order consumers of the private site")
    parser.add_argument(
        "--database", default=environ.get("DATABASE_URL", ""), help="DATABASE_URL (default: SQLite)"
    )
    add("reports", Path, ROOT / "var" / "load", "directory of results and reports")
    add("profile", str, "rush", f"stages of the load: {', '.join(plan.PROFILES)}")
    add("rate", float, 0, "requests a second at full load, sent when they are due; 0: a closed loop each")
    add("thresholds", str, "", f"exit code 1 when one is missed, such as {thresholds.EXAMPLE}")
    add("tokens", Path, None, "file of bearer tokens for a site without DEMO; with --url and --vouchers")
    add("vouchers", str, "", "sales on that site, such as 17,18; --stock are the units of each")
    add("allow", str, "", "the URL's host once more, for one that is not this machine: you may load it")
    switch("json", "print the result as JSON")
    return parser


def _refuse_strangers(url: str, allowed: str) -> None:
    """Raise Refusal unless the URL is on this machine, or named twice: load on another's is an attack."""
    address = urlsplit(url)
    host = address.hostname or ""
    if address.scheme not in {"http", "https"} or not host:
        raise Refusal(f"{url} is no http:// or https:// URL")
    if allowed and allowed == host:
        return
    try:
        near = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        near = False
    if not near:
        raise Refusal(
            f"{url} is not this machine's loopback: name a host that you may load by --allow {host}"
        )
