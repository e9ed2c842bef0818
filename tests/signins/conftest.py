from collections.abc import Iterator

import pytest
import time_machine
from django.test import Client

from apps.accounts.models import User
from tests.coupons import buyers
from tests.signins import makers


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    """It is noon in Shanghai, and time stands still until a test moves it."""
    with time_machine.travel(makers.NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture
def program(alice: User) -> Client:
    """A program that calls the API for Alice."""
    return buyers.api_client(alice)


@pytest.fixture
def page(alice: User) -> Client:
    """Alice's browser."""
    return buyers.browser_client(alice)
