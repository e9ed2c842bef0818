"""A task that records when it ran; workers load it with `--include tests.faults.recording_task`."""

import time
from pathlib import Path

from celery import shared_task

#: Seconds a run takes, so that workers die in the middle of some.
RUN_SECONDS = 0.01


@shared_task
def record_run(diary: str, number: int, due: float) -> None:
    """Append a line "number due began" at the end of the work."""
    began = time.time()
    time.sleep(RUN_SECONDS)
    with Path(diary).open("ab", buffering=0) as file:
        file.write(f"{number} {due} {began}\n".encode())
