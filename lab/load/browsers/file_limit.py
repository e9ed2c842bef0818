"""Raises this process's limit of open files, which the processes that it starts inherit."""

import resource

#: No process needs more of them.
MAX_FILES = 1_000_000


def raise_file_limit() -> int:
    """Raise the limit of open files to the hard one, as far as the system lets us; return it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most
