"""Makes .venv and installs a requirements file into it; runs on any Python 3, so that an old one gets a sentence.

Usage: python3 config/bootstrap.py requirements.txt STAMP
"""

import os
import shutil
import subprocess
import sys

VENV = ".venv"
PIP = [os.path.join(VENV, "bin", "python"), "-m", "pip", "--disable-pip-version-check"]


def main(requirements, stamp):  # type: (str, str) -> None
    """Install and touch the stamp, or exit with one sentence."""
    use_new_python()
    make_venv()
    install(requirements)
    with open(stamp, "w"):
        pass


def use_new_python():  # type: () -> None
    """Go on under Python 3.11 or newer, when this one is older and another is on PATH."""
    if sys.version_info >= (3, 11):
        return
    for minor in (14, 13, 12, 11):
        found = shutil.which("python3.%d" % minor)
        if found:
            os.execv(found, [found] + sys.argv)
    sys.exit(
        "Savor needs Python 3.11 or newer, and this is %s: install one, or name it with "
        "'make demo PYTHON=/path/to/python'." % sys.version.split()[0]
    )


def make_venv():  # type: () -> None
    """Make .venv, unless it's there and works."""
    if os.path.exists(PIP[0]) and subprocess.call(PIP + ["--version"], stdout=subprocess.DEVNULL) == 0:
        return
    print("Making %s with Python %s ..." % (VENV, sys.version.split()[0]))
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], capture_output=True, text=True)
    if made.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit(
            "Python's venv module can't make .venv (%s): on Debian or Ubuntu 'apt-get install python3-venv', "
            "and see that this directory can be written." % last_line(made.stdout + made.stderr)
        )


def install(requirements):  # type: (str) -> None
    """pip install, quietly; its complaint in one sentence."""
    print("Installing %s ..." % requirements)
    done = subprocess.run(PIP + ["install", "--quiet", "-r", requirements], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.stderr.write(done.stderr)
        sys.exit(
            "pip could not install %s (%s): see above; a missing package means no network, or no wheel for this "
            "machine. Then run the same make again." % (requirements, last_line(done.stderr))
        )


def last_line(text):  # type: (str) -> str
    """The line that says what went wrong."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "rror" in line]
    return (errors or lines or ["no message"])[-1].strip()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
