"""Two web processes of deploy/savor-web@.service on one listener, restarted in turn as a deploy does."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.crowd import site_setup
from tests.faults import service_manager
from tests.faults.fault_site import FaultSite
from tests.faults.sale_requests import send_as_person

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]


def test_a_restart_in_turn_refuses_nobody_and_lets_nobody_wait(
    running_site: FaultSite, tmp_path: Path
) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=1_000)
    with service_manager.run(running_site, tmp_path) as manager:
        for number in (1, 2):
            manager.start(number)
        restarted = threading.Event()

        def claim_on(first: int) -> list[tuple[int, float]]:
            """Statuses and seconds of one claim after another, each by a new connection."""
            said = []
            for person in range(first, 1_000, 4):
                answer = send_as_person(running_site, sale, person)
                said.append((answer.status, answer.seconds))
                if restarted.wait(0.05):
                    break
            return said

        with ThreadPoolExecutor(4) as pool:
            crowd = [pool.submit(claim_on, first) for first in range(4)]
            try:
                for number in (1, 2):
                    manager.stop(number)
                    manager.start(number)
            finally:
                restarted.set()
            answers = [answer for one in crowd for answer in one.result()]
    assert {status for status, _ in answers} == {201}
    print(f"{len(answers)} claims, the slowest took {max(seconds for _, seconds in answers):.2f} s")
    running_site.drain(sale)
    assert running_site.books.rows(sale) == len(answers)
