import pytest
from pytest_django import Settings

from tests.outbox import fake_senders


@pytest.fixture(autouse=True)
def office(settings: Settings) -> None:
    """Text messages arrive in tests.outbox.fake_senders."""
    settings.SMS_SENDER = "tests.outbox.fake_senders.RecordingSender"
    fake_senders.sent.clear()
    fake_senders.pending_errors.clear()
