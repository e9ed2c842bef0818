"""Many threads through one barrier."""

import threading
from collections.abc import Callable

from django.db import connections


def race(many: int, act: Callable[[int], object]) -> list[object]:
    """What act(0) … act(many - 1) returned, all started at once; an exception is returned too."""
    start, answers = threading.Barrier(many), list[object]([None] * many)

    def one(number: int) -> None:
        start.wait()
        try:
            answers[number] = act(number)
        except Exception as error:
            answers[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=[number]) for number in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers
