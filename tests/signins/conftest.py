from collections.abc import Iterator

import pytest
import time_machine

from tests.signins import makers


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    """It is noon in Shanghai, and time stands still until a test moves it."""
    with time_machine.travel(makers.NOON, tick=False) as traveller:
        yield traveller
