"""Run a command that ends when its parent does: `python -m apps.web.child_process COMMAND ...`.

A supervisor that is killed hard can't end its children; Linux can. Elsewhere the command just runs.
"""

import ctypes
import os
import signal
import sys

#: From <linux/prctl.h>; the setting survives exec.
PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Send this process SIGTERM when its parent dies; called in the child, before exec."""
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


if __name__ == "__main__":
    die_with_parent()
    os.execvp(sys.argv[1], sys.argv[1:])
