"""`make demo`: runs every process of the site on this machine until Ctrl-C.

This process only supervises: it imports neither Django nor the site, which children load for themselves.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

from honcho.environ import parse_procfile

from apps.demo import embedded_redis
from apps.demo.launcher import data_reset, exit_record, preparation, start_checks, welcome
from apps.demo.launcher.options import ROOT, Options
from apps.demo.launcher.preparation import PreparationFailed
from apps.demo.launcher.start_checks import LaunchError
from apps.demo.launcher.supervisor import Supervisor

#: Seconds that Redis and web may each take until they answer.
START_SECONDS = 60.0


def main() -> int:
    # SIGINT too: a script that starts this process in the background leaves SIGINT ignored.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    # What the processes write is their owner's alone: phones, codes and orders.
    os.umask(0o077)
    try:
        options = Options.from_environment()
        with start_checks.lock_directory(options.var_dir):
            run_demo(options)
    except (LaunchError, embedded_redis.EmbeddedRedisError) as error:
        print(f"\nmake demo: {error}", file=sys.stderr)
        return 1
    except PreparationFailed:
        return 1
    except KeyboardInterrupt:
        print("\nSavor has stopped; its data stays for the next 'make demo'.")
    return 0


def run_demo(options: Options) -> None:
    """Start every process and restart those that end, until Ctrl-C or SIGTERM."""
    start_checks.refuse_busy_port(options.port)
    if options.reset:
        data_reset.delete_data(options.var_dir)
    os.environ.update(options.environment())
    supervisor = Supervisor(os.environ, record_exits=partial(exit_record.write, options.var_dir))
    exit_record.write(options.var_dir, {})
    try:
        start_processes(supervisor, options)
        supervisor.watch()
    finally:
        end_processes(supervisor, options)


def end_processes(supervisor: Supervisor, options: Options) -> None:
    """End every process, and note for the next start when Redis has written all that it held."""
    home, run_id = options.var_dir / "redis", ""
    try:
        run_id = embedded_redis.read_run_id(home) if options.embedded else ""
    finally:
        supervisor.end()
    if run_id and supervisor.exit_code("redis") == 0:
        embedded_redis.note_orderly_stop(home, run_id)


def start_processes(supervisor: Supervisor, options: Options) -> None:
    """Start Redis, prepare the data, start web and, when web answers, start the workers."""
    lines = parse_procfile((ROOT / "Procfile").read_text()).processes
    home = options.var_dir / "redis"
    if options.embedded:
        command = [sys.executable, "-m", "apps.demo.embedded_redis", str(home)]
        supervisor.start("redis", command, left_out=embedded_redis.START_LINES)
    with preparation.start_preparation(options) as child:
        if options.embedded:
            wait_for_redis(supervisor, home)
        preparation.finish_preparation(child)
    # One process instead of two.
    lines["mover"] += " --beat"
    del lines["beat"]
    listener = start_checks.listen(options.port)
    # Without preflight, here and below, whose checks the preparation has just made.
    web = f"WEB_FD={listener.fileno()}; {lines.pop('web').rpartition('&& ')[2]}"
    supervisor.start("web", ["sh", "-c", web], files=(listener.detach(),))
    wait_until_ready(supervisor, lambda: welcome.site_is_up(options.port))
    welcome.print_welcome(options.port)
    forked = [sys.executable, "-m", "apps.demo.launcher.forked_workers", *lines.values()]
    supervisor.start("workers", forked)


def wait_for_redis(supervisor: Supervisor, home: Path) -> None:
    """Wait until the embedded server answers; raises LaunchError, with the way out of unreadable data."""
    try:
        wait_until_ready(supervisor, lambda: embedded_redis.accepts_commands(home))
    except LaunchError as error:
        raise LaunchError(f"{error}{embedded_redis.way_out(str(error), home)}") from None


def wait_until_ready(supervisor: Supervisor, ready: Callable[[], bool]) -> None:
    """Poll until ready() is true; raises LaunchError when a process ends first, or after START_SECONDS."""
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        if ended := supervisor.first_exit_report():
            raise LaunchError(ended)
        if time.monotonic() > deadline:
            raise LaunchError(
                f"nothing answered within {START_SECONDS:.0f} seconds; the log above may say why."
            )
        time.sleep(0.05)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
