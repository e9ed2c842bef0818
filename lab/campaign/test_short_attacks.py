"""Attacks and a soak in small, on a whole city: nothing is lost, nothing stays."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from lab.campaign.attacks import trial
from lab.campaign.city import City, run_city
from lab.campaign.soak import run as soak

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

PEOPLE = 600


@pytest.fixture(scope="module")
def city() -> Iterator[City]:
    with run_city(PEOPLE) as running:
        yield running


@pytest.mark.parametrize("name", ["ids", "streams", "searches", "codes"])
def test_an_attack_leaves_nothing_and_loses_nothing(city: City, name: str) -> None:
    done = trial.run_trial(city, name, seconds=2, share=0.5)
    assert done.broken == []
    assert done.answers
    assert done.accepted > 0


def test_mixed_traffic_is_answered_and_counted(
    city: City, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soak, "READ", 5)
    traffic, samples, clean = soak.run_soak(
        city, Random(1), minutes=0.15, saved=tmp_path / "soak.jsonl", every=2
    )
    assert (traffic.errors, traffic.lost, clean) == ([], [], True)
    assert 0 < traffic.bad < 0.3 * traffic.answers.total()
    assert traffic.answers["200"] > 0
    assert samples[-1].usage.memory["web"] > 0
