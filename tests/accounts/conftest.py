import threading
from collections.abc import Callable, Iterator

import pytest
import redis
from django.db import connections
from pytest_django.fixtures import Settings
from redis.connection import AbstractConnection

from apps.accounts import tokens
from apps.accounts.models import AccessToken, User
from apps.redis_kit import client
from tests.accounts import outbox

Race = Callable[[int, Callable[[int], object]], list[object]]


@pytest.fixture(autouse=True)
def post_office(settings: Settings) -> None:
    """Messages arrive in tests.accounts.outbox."""
    settings.SMS_SENDER = "tests.accounts.outbox.Outbox"
    outbox.messages.clear()


@pytest.fixture
def redis_away(guarded_redis: redis.Redis, settings: Settings) -> Iterator[None]:
    """Nobody listens where the settings point."""
    there = settings.REDIS_CONNECTIONS
    settings.REDIS_CONNECTIONS = {
        name: options | {"url": "unix:///nowhere/redis.sock"} for name, options in there.items()
    }
    client.forget()
    yield
    settings.REDIS_CONNECTIONS = there
    client.forget()


@pytest.fixture
def token(alice: User) -> str:
    """Alice's API token, with its hot copy."""
    return issued(alice)


def issued(user: User, kind: str = AccessToken.Kind.API) -> str:
    """A token whose copy is in Redis, although the test's transaction never commits."""
    raw = tokens.issue(user, kind=kind)
    tokens.read_through(tokens.digest(raw))
    return raw


@pytest.fixture
def race() -> Race:
    """race(100, act) -> what act(0) … act(99) returned, all started at once; an exception is returned too."""

    def run(many: int, act: Callable[[int], object]) -> list[object]:
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

    return run


@pytest.fixture
def round_trips(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was sent to Redis, one entry for each trip."""
    sent: list[object] = []
    send: Callable[..., None] = AbstractConnection.send_packed_command

    def counted(self: AbstractConnection, command: object, check_health: bool = True) -> None:
        sent.append(command)
        send(self, command, check_health)

    monkeypatch.setattr(AbstractConnection, "send_packed_command", counted)
    return sent
