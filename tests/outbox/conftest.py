import pytest
from pytest_django import Settings

from tests.outbox import post_office


@pytest.fixture(autouse=True)
def office(settings: Settings) -> None:
    """Text messages arrive in tests.outbox.post_office."""
    settings.SMS_SENDER = "tests.outbox.post_office.Office"
    post_office.sent.clear()
    post_office.troubles.clear()
