"""Makes .venv and installs locked packages into it; runs on any Python 3, to report one that is too old.

Usage: python3 config/bootstrap.py requirements.lock STAMP...
"""

import os
import shutil
import subprocess
import sys
import sysconfig

OLDEST = (3, 11)
#: The distribution's own Python, and what it says when it is at least as new and can make .venv.
PACKAGED, CAN_MAKE_VENV = (
    "/usr/bin/python3",
    "import ensurepip, sqlite3, ssl, sys; sys.exit(sys.version_info[:2] < ({}, {}))",
)
VENV = ".venv"
#: Megabytes that the packages take, and those that are left on no full disk.
NEEDED_MB, ENOUGH_MB = 300, 30
PIP = [os.path.join(VENV, "bin", "python"), "-m", "pip", "--disable-pip-version-check"]


def main(requirements: str, *stamps: str) -> None:
    """Install the requirements and touch the stamp files, or exit with a one-sentence error."""
    use_new_python()
    if not has_venv():
        use_profiled_python()
        make_venv()
    install(requirements)
    for stamp in stamps:
        with open(stamp, "w"):
            pass


def use_new_python() -> None:
    """Restart under a newer Python from PATH when this one is too old; exit with an error without one."""
    if tuple(sys.version_info) >= OLDEST:
        return
    for minor in (14, 13, 12, 11):
        found = shutil.which(f"python3.{minor}")
        if found and is_new_enough(found):
            os.execv(found, [found, *sys.argv])
    sys.exit(
        f"Savor needs Python 3.11 or newer, and this is {sys.version.split()[0]}: install one, or name it "
        "with 'make demo PYTHON=/path/to/python'."
    )


def is_new_enough(program: str) -> bool:
    """Whether it runs: pyenv puts a shim on PATH for each version, and those that aren't chosen fail."""
    return succeeds([program, "-c", f"import sys; sys.exit(sys.version_info < {OLDEST})"])


def use_profiled_python() -> None:
    """Restart under the distribution's Python when this one was built without profiles, as by pyenv.

    It takes an eighth less of a processor. One that is named by its path (make passes
    PYTHON on), one of an environment of its own, and one that is newer, stay.
    """
    is_named = os.environ.get("PYTHON", "python3") != "python3" or sys.prefix != sys.base_prefix
    if is_named or is_profiled() or not os.path.exists(PACKAGED):
        return
    if succeeds([PACKAGED, "-c", CAN_MAKE_VENV.format(*sys.version_info[:2])]):
        print(
            f"Using {PACKAGED}: {sys.executable} was built without profiles (PGO) and is slower; "
            "name it to use it all the same, with 'make demo PYTHON=/path/to/python'.",
            flush=True,
        )
        os.execv(PACKAGED, [PACKAGED, *sys.argv])


def is_profiled() -> bool:
    """Whether this Python was built with profiles (PGO).

    Distributions build theirs so, by rules of their own that sysconfig doesn't show.
    """
    options = str(sysconfig.get_config_var("CONFIG_ARGS"))
    return sys.base_prefix == "/usr" or "--enable-optimizations" in options


def has_venv() -> bool:
    """Whether a working .venv is there."""
    return os.path.exists(PIP[0]) and succeeds([*PIP, "--version"])


def succeeds(command: "list[str]") -> bool:
    """Whether a command ends well; what it prints is nobody's."""
    return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0


def make_venv() -> None:
    """Make .venv; exit with an error when that fails."""
    print(f"Making {VENV} with Python {sys.version.split()[0]} ...", flush=True)
    command = [sys.executable, "-m", "venv", "--clear", VENV]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        full = describe_full_disk(made.stdout + made.stderr)
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit(
            full
            or f"Python's venv module can't make {VENV} ({last_line(made.stdout + made.stderr)}): on Debian "
            "or Ubuntu 'apt-get install python3-venv', and see that this directory can be written."
        )


def install(requirements: str) -> None:
    """Run pip install quietly; exit with its error in one sentence when it fails."""
    print(f"Installing {requirements} (200 MB or more, a minute or two) ...", flush=True)
    # A package whose files are not those that were locked is refused.
    command = [*PIP, "install", "--quiet", "--require-hashes", "--requirement", requirements]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stderr)
        sys.exit(
            describe_full_disk(done.stderr)
            or f"pip could not install {requirements} ({last_line(done.stderr)}): a missing package means "
            "no network, or no wheel for this machine. Then run the same make again."
        )


def describe_full_disk(errors: str) -> str:
    """Return a sentence when there is no room left, which Python's own tools may call by another name."""
    free = shutil.disk_usage(os.curdir).free // 2**20
    if free > ENOUGH_MB and "No space left on device" not in errors:
        return ""
    return (
        f"The disk is full: {free} MB are left in {os.getcwd()}, and {NEEDED_MB} MB are needed there, and "
        "some in TMPDIR for a moment. Make room, then run the same make again."
    )


def last_line(text: str) -> str:
    """Return the last line with "error" in it, else the last line, else "no message"."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "rror" in line]
    return (errors or lines or ["no message"])[-1].strip()


if __name__ == "__main__":
    main(*sys.argv[1:])
