"""The same sale in Locust, for people who like its web page; lab/README.md says how to start it.

    TOKENS=tokens.txt VOUCHER=17 locust -f lab/load/tools/locustfile.py --host http://127.0.0.1:8000

Everybody in the file presses in turn, and again once all have; each press is a new one with its own key.
"""

import itertools
import os
import secrets
from pathlib import Path

from locust import FastHttpUser, constant, task

TOKENS = Path(os.environ["TOKENS"]).read_text().split()
VOUCHER = int(os.environ["VOUCHER"])
#: Bought, refused by the sale's rules, or pressed too often: what the site means to answer.
EXPECTED = (201, 409, 429)
#: Presses of another run, and of another process of this one, have other keys.
_run = secrets.token_urlsafe(9)
_presses = itertools.count()


class Buyer(FastHttpUser):
    """Presses for one person after another; a refusal by the site's rules is no failure."""

    wait_time = constant(0)

    @task
    def grab(self) -> None:
        press = next(_presses)
        headers = {
            "Authorization": f"Bearer {TOKENS[press % len(TOKENS)]}",
            "Idempotency-Key": f"locust-{_run}-{press}",
        }
        path = f"/api/vouchers/{VOUCHER}/seckill"
        with self.client.post(path, headers=headers, name="seckill", catch_response=True) as answer:
            if answer.status_code in EXPECTED:
                answer.success()
