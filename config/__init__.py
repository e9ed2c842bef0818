"""Settings, URLs and server entry points; loads the Celery app so that shared tasks find it."""

import gc

# The site makes 280,000 objects as it loads, and they stay: a search for garbage after each 700, as Python
# has it, takes a fifth of every process's start.
gc.set_threshold(10_000)

from config.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
