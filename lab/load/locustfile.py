"""The same sale in Locust, for people who like its web page; docs/load.md says how to start it."""

import itertools
import os
from pathlib import Path

from locust import FastHttpUser, constant, task

TOKENS = Path(os.environ["TOKENS"]).read_text().split()
VOUCHER = int(os.environ["VOUCHER"])
_turns = itertools.cycle(range(len(TOKENS)))


class Buyer(FastHttpUser):
    """Claims for one person after another; a refusal by the sale's rules is no failure."""

    wait_time = constant(0)

    @task
    def grab(self) -> None:
        number = next(_turns)
        headers = {"Authorization": f"Bearer {TOKENS[number]}", "Idempotency-Key": f"locust-{number}"}
        path = f"/api/vouchers/{VOUCHER}/seckill"
        with self.client.post(path, headers=headers, name="seckill", catch_response=True) as answer:
            if answer.status_code in (201, 409):
                answer.success()
