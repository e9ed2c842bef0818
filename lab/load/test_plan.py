"""Profiles: how a run is divided, and how requests of the open model are timed."""

import asyncio
import itertools

import pytest

from lab.load import plan
from tests.crowd.buyers import Crowd, Load
from tests.crowd.people import BARE_BEARER

STALL_SECONDS = 1.0
ANSWER = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize("profile", plan.PROFILES)
def test_a_profile_takes_its_seconds_and_opens_once(profile: str) -> None:
    phases = plan.phases(70.0, profile)
    assert sum(phase.seconds for phase in phases) == pytest.approx(70.0)
    assert sum(phase.opens for phase in phases) == 1
    assert len({phase.name for phase in phases}) == len(phases)
    assert all(0 < phase.share <= 1 for phase in phases)


def test_a_ramp_rises_and_a_spike_turns() -> None:
    ramp = [phase.share for phase in plan.phases(10.0, "ramp")]
    assert ramp == sorted(ramp)
    assert ramp[-1] == 1.0
    spike = [phase.share for phase in plan.phases(10.0, "spike")]
    assert all((one < other) != (number % 2) for number, (one, other) in enumerate(itertools.pairwise(spike)))


async def serve_after_a_stall() -> tuple[asyncio.Server, str]:
    """A server that leaves its first request unanswered for STALL_SECONDS, and answers others at once."""
    waits = itertools.chain([STALL_SECONDS], itertools.repeat(0.0))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            await asyncio.sleep(next(waits))
            writer.write(ANSWER)

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    return server, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_requests_of_the_open_model_are_timed_from_when_they_were_due() -> None:
    """One connection, stalled for a second: all that were due meanwhile waited, and their times say so."""
    server, url = await serve_after_a_stall()
    crowd = Crowd(url, 1, ["t"] * 40, connections=1, duration=1.0, rate=40.0, kinds=BARE_BEARER)
    tally = await Load(crowd).run()
    server.close()
    assert tally.answers == 40
    assert tally.percentile(1.0) >= 0.95 * STALL_SECONDS
    # Due in the middle of the stall: half of it is still to come.
    assert tally.percentile(0.5) >= 0.4 * STALL_SECONDS


async def test_requests_of_the_open_model_use_other_connections_meanwhile() -> None:
    server, url = await serve_after_a_stall()
    crowd = Crowd(url, 1, ["t"] * 40, connections=8, duration=1.0, rate=40.0, kinds=BARE_BEARER)
    load = Load(crowd)
    tally = await load.run()
    server.close()
    assert tally.codes == {"201": 40}
    assert load._idle == []
