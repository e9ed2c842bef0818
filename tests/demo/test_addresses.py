"""The demo's made-up table of addresses."""

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from apps.demo import addresses
from apps.geoip import importing, locating
from tests.geoip import files


@pytest.fixture(autouse=True)
def geoip_dir(tmp_path: Path, settings: Settings) -> Path:
    settings.GEOIP_DIR = tmp_path
    return tmp_path


def test_a_visitor_of_this_machine_is_in_the_demo_s_city() -> None:
    assert addresses.import_made_up(seed=1)
    assert importing.describe()["files"] == [
        f"Savor-Demo-Made-Up-{name}.csv"
        for name in ("Blocks-IPv4", "Blocks-IPv6", "Locations-en", "Locations-zh-CN")
    ]
    cities = {
        "Hangzhou": ["127.0.0.1", "::1", "10.1.2.3", "192.168.7.7", "172.31.255.255", "fd00::1", "fe80::1"],
        "Shanghai": ["198.51.100.7", "203.0.113.200", "2001:db8:8000::1"],
        "London": ["203.0.113.7"],
    }
    for city, ips in cities.items():
        assert {place and place.city for place in locating.locate_many(ips)} == {city}
    assert locating.locate_many(["8.8.8.8", "1.1.1.1", "2606:4700::1111", "223.5.5.5"]) == [None] * 4


def test_one_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    first, again, other = (
        [path.read_bytes() for path in addresses.write_files(tmp_path / name, seed=seed)]
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == again
    assert first[0] != other[0]


def test_a_table_that_is_there_stays(tmp_path: Path) -> None:
    importing.import_files(importing.find_files(files.write_release(tmp_path)))
    assert not addresses.import_made_up(seed=1)
    assert locating.locate_many(["127.0.0.1"]) == [None]
