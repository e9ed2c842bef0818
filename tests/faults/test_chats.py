"""Messages while web or Redis is killed: what was answered 201 is there, once and under its number."""

import http.client
import json
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import pytest

from tests.faults.fault_site import FaultSite
from tests.sites import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]
SENDERS, MESSAGES_EACH = 8, 40
#: A process that was killed in the middle answers nothing, or half.
LOST = (OSError, http.client.HTTPException)


def call(running_site: FaultSite, person: int, path: str, body: object = None) -> dict[str, Any]:
    """The JSON of an answer to one person, {} without any; urllib.error.HTTPError for a refusal."""
    request = urllib.request.Request(
        running_site.site.base_url + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {running_site.tokens[person]}",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: dict[str, Any] = json.loads(answer.read() or "{}")
        return found


@dataclass
class Senders:
    """People who write to one chat, each message again with the same key until it is answered."""

    running_site: FaultSite
    chat_id: int
    numbers: dict[str, int] = field(default_factory=dict)
    lost: int = 0

    def send_all(self, person: int) -> None:
        """Send one person's messages, in their order."""
        for turn in range(MESSAGES_EACH):
            text = f"{person} {turn}"
            while text not in self.numbers:
                self._send(person, text)

    def _send(self, person: int, text: str) -> None:
        body = {"text": text, "client_id": text}
        try:
            self.numbers[text] = call(self.running_site, person, f"/api/chats/{self.chat_id}/messages", body)[
                "number"
            ]
        except urllib.error.HTTPError as refusal:
            with refusal:
                if refusal.code != HTTPStatus.SERVICE_UNAVAILABLE:
                    raise
        except LOST:
            self.lost += 1
        if text not in self.numbers:
            time.sleep(0.05)


def kill_web(running_site: FaultSite) -> None:
    running_site.site.kill("web")
    running_site.heal()


def kill_redis(running_site: FaultSite) -> None:
    running_site.restart_redis(signal.SIGKILL)


@pytest.mark.parametrize("kill", [kill_web, kill_redis])
def test_an_answered_message_survives_a_kill(
    running_site: FaultSite, kill: Callable[[FaultSite], None]
) -> None:
    chat_id = call(running_site, 0, "/api/chats", {"member_ids": running_site.buyers[1 : SENDERS + 1]})["id"]
    senders = Senders(running_site, chat_id)
    with ThreadPoolExecutor(SENDERS) as pool:
        sent = [pool.submit(senders.send_all, person) for person in range(SENDERS)]
        wait_until(lambda: len(senders.numbers) > 60, seconds=60, otherwise="nothing is sent")
        kill(running_site)
        for each in sent:
            each.result(120)
    assert senders.lost or kill is kill_redis
    rows = running_site.books.select(
        f"SELECT number, text FROM chat_message WHERE chat_id = {chat_id:d} ORDER BY number"
    )
    assert [number for number, _text in rows] == list(range(1, SENDERS * MESSAGES_EACH + 2))
    assert {text: number for number, text in rows[1:]} == senders.numbers
    assert _read_everything(running_site, SENDERS, chat_id) == rows[1:]


def _read_everything(running_site: FaultSite, person: int, chat_id: int) -> list[tuple[int, str]]:
    """What a member who wrote nothing gets as pending, marking each part as seen."""
    read: list[tuple[int, str]] = []
    while True:
        waiting = call(running_site, person, "/api/chats/pending")["items"]
        found = [each for chat in waiting if chat["chat_id"] == chat_id for each in chat["messages"]]
        if not found:
            return read
        read += [(each["number"], each["text"]) for each in found if each["kind"] == "text"]
        call(running_site, person, f"/api/chats/{chat_id}/seen", {"number": found[-1]["number"]})
