"""`make demo`: everything of Savor on this machine, until Ctrl-C."""

import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

import django
from django.core.exceptions import ImproperlyConfigured
from honcho.environ import parse_procfile

from apps.redis_kit import embedded
from config import translations
from config.demo import preparation, refusals, reset, welcome
from config.demo.options import ROOT, Options
from config.demo.refusals import Refusal
from config.demo.supervisor import Supervisor

START_SECONDS = 60.0


def main() -> int:
    # SIGINT too: a script that starts us in the background hands it down ignored.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, _interrupt)
    try:
        options = Options.from_environment()
        with refusals.one_demo_in(options.var_dir):
            run(options)
    except (Refusal, embedded.EmbeddedError, ImproperlyConfigured) as refusal:
        print(f"\nmake demo: {refusal}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nSavor has stopped; its data stays for the next 'make demo'.")
    return 0


def run(options: Options) -> None:
    """Start everything and look after it until interrupted."""
    refusals.busy_port(options.port)
    if options.reset:
        reset.forget(options.var_dir)
    os.environ.update(options.environment())
    supervisor = Supervisor(os.environ)
    try:
        serve(supervisor, options)
        supervisor.watch()
    finally:
        supervisor.end()


def serve(supervisor: Supervisor, options: Options) -> None:
    """Redis, then data, then the web; the first page need not wait for the workers behind it."""
    lines = parse_procfile((ROOT / "Procfile").read_text()).processes
    home = options.var_dir / "redis"
    if options.embedded:
        supervisor.start("redis", [sys.executable, "-m", "apps.redis_kit.embedded", str(home)])
    translations.compile_changed()
    django.setup()
    if options.embedded:
        wait(supervisor, lambda: embedded.answers(home))
    preparation.prepare(options)
    supervisor.start("web", ["sh", "-c", lines.pop("web")])
    wait(supervisor, lambda: welcome.answers(options.port))
    welcome.show(options.port)
    for name, line in lines.items():
        supervisor.start(name, ["sh", "-c", line])


def wait(supervisor: Supervisor, ready: Callable[[], bool]) -> None:
    """Until ready() is true; Refusal when a process ends first, or nothing happens for a minute."""
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        if ended := supervisor.died():
            raise Refusal(ended)
        if time.monotonic() > deadline:
            raise Refusal(f"nothing answered within {START_SECONDS:.0f} seconds; the log above may say why.")
        time.sleep(0.05)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
