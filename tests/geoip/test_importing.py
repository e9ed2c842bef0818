"""Importing files, locating addresses; imports that are bad, that die, that find Redis away."""

import io
import json
import tracemalloc
import zipfile
from ipaddress import IPv4Address
from pathlib import Path
from random import Random

import maxminddb
import pytest
import redis
from django.core.management import CommandError, call_command
from mmdb_writer import MMDBWriter
from netaddr import IPNetwork, IPSet

from apps.geoip import importing, keys, locating
from apps.geoip.locating import Place
from tests.geoip import files

HANGZHOU, SHANGHAI = Place("Hangzhou", "杭州", "CN"), Place("Shanghai", "上海", "CN")
LONDON, CHINA = Place("London", "伦敦", "GB"), Place("", "", "CN")


@pytest.fixture
def release(tmp_path: Path) -> list[Path]:
    """The files of a small release."""
    return files.write_release(tmp_path)


def import_release(paths: list[Path]) -> importing.Imported:
    return importing.import_files(importing.find_files(paths))


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("1.0.1.0", HANGZHOU),
        ("1.0.1.255", HANGZHOU),
        (" 1.0.3.255 ", SHANGHAI),
        ("1.0.4.0", None),
        ("1.1.0.0", LONDON),
        ("1.1.0.1", None),
        ("0.255.255.255", None),
        ("9.9.9.9", None),
        ("16.0.0.0", CHINA),
        ("17.255.255.255", CHINA),
        ("18.0.0.0", None),
        ("255.255.255.255", None),
        ("2001:db8:7fff:ffff::1", HANGZHOU),
        ("2001:db8:8000::3", SHANGHAI),
        ("2001:db8:8000::4", None),
        ("2001:db8:8000::f", LONDON),
        ("2001:db8:8001::", None),
        ("3000::", LONDON),
        ("300f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", LONDON),
        ("3010::", None),
        ("::ffff:1.0.1.7", HANGZHOU),
        ("::", None),
        ("", None),
        ("300.1.1.1", None),
        ("1.0.1", None),
        ("1.0.1.7\x00", None),
        ("杭州", None),
    ],
)
def test_an_address_has_the_city_of_its_range_and_none_beside_it(
    release: list[Path], address: str, place: Place | None
) -> None:
    assert import_release(release) == importing.Imported(8, 4, 0)
    assert locating.locate(address) == place


def test_a_zip_gives_the_same(release: list[Path], tmp_path: Path) -> None:
    zipped = files.zip_release(release, tmp_path / "GeoLite2-City-CSV.zip")
    assert import_release([zipped]).ranges == 8
    assert locating.locate("1.0.1.9") == HANGZHOU
    assert importing.describe()["ranges"] == 8


def test_an_archive_of_another_system_gives_the_same(release: list[Path], tmp_path: Path) -> None:
    """With a Mac's extra files, capital letters, folders within folders, and backslashes."""
    path, folder = tmp_path / "GEOLITE2.ZIP", ("GeoLite2/City 2026/", "GEOLITE2\\CITY\\")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("__MACOSX/", b"")
        archive.writestr("GeoLite2/.DS_Store", b"\x00\x01Bud1")
        archive.writestr("Thumbs.db", b"\xd0\xcf\x11\xe0")
        for number, source in enumerate(release):
            name = source.name.upper() if number % 2 else source.name.lower()
            archive.writestr(folder[number % 2] + name, source.read_bytes().replace(b"\n", b"\r\n"))
            archive.writestr(f"__MACOSX/GeoLite2/._{source.name}", b"\x00\x05\x16\x07\x00Mac OS X")
            archive.writestr(f"GeoLite2/._{source.name}", b"\x00\x05\x16\x07\x00Mac OS X")
    assert import_release([path]) == importing.Imported(8, 4, 0)
    assert (locating.locate("1.0.1.9"), locating.locate("3000::")) == (HANGZHOU, LONDON)


def test_places_are_named_in_the_readers_language() -> None:
    assert (HANGZHOU.in_language("zh-hans"), HANGZHOU.in_language("en")) == ("杭州", "Hangzhou")
    assert Place("Leeds", "", "GB").in_language("zh-hans") == "Leeds"


def test_a_new_import_replaces_the_old_one_whole(release: list[Path], tmp_path: Path) -> None:
    import_release(release)
    newer = files.write_release(tmp_path, v4=["1.0.1.0/25,2643743"], v6=[])
    import_release(newer)
    assert locating.locate("1.0.1.1") == LONDON
    assert locating.locate_many(["1.0.1.200", "1.0.2.1", "3000::1"]) == [None, None, None]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["1.0.1.0/24,7", "1.0.0.0/24,7"], "line 3: 1.0.0.0/24 is not behind the line before it"),
        (["1.0.0.0/16,7", "1.0.1.0/24,7"], "line 3: 1.0.1.0/24 is not behind the line before it"),
        (["1.0.1.7/24,7"], "line 2: '1.0.1.7/24', '7' is no network"),
        (["1.0.1.0/33,7"], "line 2: '1.0.1.0/33', '7' is no network"),
        (["noodles,7"], "line 2: 'noodles', '7' is no network"),
        (["1.0.1.0/24,-7"], "line 2: '1.0.1.0/24', '-7' is no network"),
        (["1.0.1.0/24,99999999999"], "line 2"),
        (["1.0.1.0/24,杭州"], "line 2"),
    ],
)
def test_a_bad_file_changes_nothing_and_names_its_line(
    release: list[Path], tmp_path: Path, rows: list[str], message: str
) -> None:
    import_release(release)
    with pytest.raises(CommandError) as refusal:
        call_command("import_geoip", *map(str, files.write_release(tmp_path, v4=rows)))
    assert "nothing was changed: GeoLite2-City-Blocks-IPv4.csv" in str(refusal.value)
    assert message in str(refusal.value)
    assert locating.locate_many(["1.0.1.1"]) == [HANGZHOU]


@pytest.mark.parametrize("names", [["none.csv"], ["GeoLite2-City-Blocks-IPv4.csv"], ["broken.zip"]])
def test_files_that_are_not_a_release_are_refused(
    release: list[Path], tmp_path: Path, names: list[str]
) -> None:
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 no zip")
    with pytest.raises(CommandError, match="nothing was changed"):
        call_command("import_geoip", *(str(tmp_path / name) for name in names))


def test_an_import_that_died_goes_on_after_its_last_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded_redis: redis.Redis
) -> None:
    networks = files.random_networks(seed=3, count=500)
    rows = [f"{IPv4Address(first)}/{length},1808926" for first, length in networks]
    sources = importing.find_files(files.write_release(tmp_path, v4=rows, v6=[]))
    monkeypatch.setattr(importing, "BATCH_SIZE", 50)

    def die(name: str, done: int) -> None:
        if done >= 250:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        importing.import_files(sources, die)
    assert guarded_redis.ttl(keys.BUILDING()) > 0
    assert locating.locate_many([str(IPv4Address(networks[0][0]))]) == [None]
    assert importing.import_files(sources) == importing.Imported(500, 4, 250)
    assert not guarded_redis.exists(keys.BUILDING())
    edges = [
        str(IPv4Address(first + place)) for first, length in networks for place in (0, (1 << 32 - length) - 1)
    ]
    assert set(locating.locate_many(edges)) == {HANGZHOU}


#: Ranges of every layout, so that a page of each is under way wherever the import ends.
MANY_PAGES = [
    "0.0.0.0/7",
    "4.0.0.0/14",
    "8.0.0.0/7",
    "11.1.0.0/24",
    "11.1.1.0/24",
    "12.0.0.0/8",
    "224.0.0.0/4",
]
MANY_PAGES_V6 = ["2001:db8::/33", "2001:db8:8000::/126", "2400::/12", "2600::/10", "2a00:1::/48", "2c00::/12"]


@pytest.mark.parametrize("died_after", range(1, len(MANY_PAGES) + len(MANY_PAGES_V6)))
def test_one_that_died_anywhere_loses_no_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded_redis: redis.Redis, died_after: int
) -> None:
    cities = [str(city[0]) for city in files.CITIES] * 4
    v4 = [f"{network},{city}" for network, city in zip(MANY_PAGES, cities, strict=False)]
    v6 = [f"{network},{city}" for network, city in zip(MANY_PAGES_V6, cities, strict=False)]
    sources = importing.find_files(files.write_release(tmp_path, v4=v4, v6=v6))
    importing.import_files(sources)
    whole = guarded_redis.hgetall(keys.TABLE())
    monkeypatch.setattr(importing, "BATCH_SIZE", 1)
    batches = iter(range(1, 100))

    def die(name: str, done: int) -> None:
        if next(batches) == died_after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        importing.import_files(sources, die)
    assert importing.import_files(sources).resumed_at == died_after
    again = guarded_redis.hgetall(keys.TABLE())
    assert {field: text for field, text in again.items() if field != "about"} == {
        field: text for field, text in whole.items() if field != "about"
    }


def test_blank_lines_are_no_rows(release: list[Path]) -> None:
    for path in release:
        path.write_text(path.read_text().replace("\n", "\n\n", 2) + " \n\r\n,\n\n")
    assert import_release(release) == importing.Imported(8, 4, 0)


def test_other_files_start_again(
    release: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(name: str, done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        importing.import_files(importing.find_files(release), die)
    newer = files.write_release(tmp_path, v4=["1.0.1.0/25,2643743"], v6=[])
    assert import_release(newer).resumed_at == 0
    assert locating.locate_many(["16.0.0.1"]) == [None]


def test_the_city_is_that_of_maxminds_own_reader(tmp_path: Path) -> None:
    networks = files.random_networks(seed=5, count=1_000)
    chance = Random(5)
    chosen = [chance.choice(files.CITIES) for _ in networks]
    rows = [
        f"{IPv4Address(first)}/{length},{city[0]}"
        for (first, length), city in zip(networks, chosen, strict=True)
    ]
    import_release(files.write_release(tmp_path, v4=rows, v6=[]))
    writer = MMDBWriter(4)
    for (first, length), city in zip(networks, chosen, strict=True):
        writer.insert_network(IPSet([IPNetwork((first, length))]), list(city))
    writer.to_db_file(str(tmp_path / "city.mmdb"))
    addresses = [str(IPv4Address(chance.randrange(1 << 24, 0xE0000000))) for _ in range(4_000)]
    addresses += [str(IPv4Address(first + chance.choice([-1, 0, 1]))) for first, _length in networks]
    with maxminddb.open_database(tmp_path / "city.mmdb") as reader:
        expected = [reader.get(address) for address in addresses]
    places = locating.locate_many(addresses)
    found = [(place.country, place.city, place.city_zh) if place else None for place in places]
    assert found == [tuple(one[1:]) if isinstance(one, list) else None for one in expected]
    assert found.count(None) > 200


def test_the_command_prints_a_line_an_address(release: list[Path]) -> None:
    import_release(release)
    out = io.StringIO()
    call_command("locate", "1.0.1.1", "8.8.8.8", "16.0.0.9", "noodles", "--json", stdout=out)
    assert [tuple(json.loads(line).values()) for line in out.getvalue().splitlines()] == [
        ("1.0.1.1", "Hangzhou", "CN"),
        ("8.8.8.8", None, None),
        ("16.0.0.9", None, "CN"),
        ("noodles", None, None),
    ]


def test_after_redis_did_not_answer_nobody_asks_for_a_while(
    redis_away: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[object] = []
    monkeypatch.setattr(locating.log, "warning", tries.append)
    assert [locating.locate(f"1.0.1.{number}") for number in range(50)] == [None] * 50
    assert len(tries) == 1


def test_an_address_is_asked_for_once_in_one_trip(release: list[Path], round_trips: list[object]) -> None:
    import_release(release)
    locating.locate("1.0.1.1")
    del round_trips[:]
    assert {locating.locate("1.0.4.0") for _ in range(50)} == {None}
    assert len(round_trips) == 1
    assert [locating.locate(ip) for ip in ["1.0.1.1", "1.0.1.2", "1.0.1.2"]] == [HANGZHOU] * 3
    assert len(round_trips) == 2


def test_while_redis_is_away_nobody_is_anywhere(redis_away: None, release: list[Path]) -> None:
    locating.forget()
    assert locating.locate("1.0.1.1") is None
    with pytest.raises(CommandError, match="Redis is away"):
        call_command("import_geoip", *map(str, release))
    with pytest.raises(CommandError, match="Redis is away"):
        call_command("locate", "1.0.1.1")


@pytest.mark.parametrize("name", ["GeoLite2-City-Blocks-IPv4.csv", "GeoLite2-City-Locations-en.csv"])
def test_a_line_without_an_end_is_not_read_to_it(release: list[Path], tmp_path: Path, name: str) -> None:
    """A zip of some kilobytes holds a line of 64 MB."""
    target = tmp_path / "release.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in release:
            more = b"1" * 64 * 1024 * 1024 if path.name == name else b""
            packed.writestr(path.name, path.read_bytes() + more)
    tracemalloc.start()
    try:
        with pytest.raises(importing.BadFile, match="the line is longer than 65536 bytes"):
            importing.import_files(importing.find_files([target]))
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10 * 1024 * 1024, most
