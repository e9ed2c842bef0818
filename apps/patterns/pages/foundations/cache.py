"""Cache-aside, and the three ways in which a plain cache fails."""

from datetime import timedelta

from apps.patterns import keys as pattern_keys
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import cache, client
from apps.redis_kit import keys as kit_keys
from apps.redis_kit.cache import State
from apps.shops import keys as shop_keys

READERS, ENTRIES = 10, 8
MINUTE = timedelta(minutes=1)
LEASE_MS = 10_000


def _read_naively(run: Scratch) -> Outcome:
    shop = run.key("string", "shop")
    # Ten people open the page in the moment in which the entry has expired: all look before one has loaded.
    missing = [run.do("GET", shop) is None for _ in range(READERS)]
    stampede_loads = sum(missing)
    run.do("SET", shop, "{}", "EX", 60)
    # A shop that does not exist: nothing is stored, so each look goes to SQL.
    ghost_loads = sum(run.do("GET", run.key("string", "ghost")) is None for _ in range(READERS))
    for number in range(ENTRIES):
        run.do("SET", run.key("string", f"shop-{number}"), "{}", "EX", 60)
    ends = {run.do("TTL", run.key("string", f"shop-{number}")) for number in range(ENTRIES)}
    sentence = Text(
        "{readers} readers of one expired entry loaded it {loads} times; a missing shop was looked up "
        "{ghost} times; {entries} entries expire within {seconds} second(s).",
        "{readers} 个人读同一个过期条目，加载了 {loads} 次；一家不存在的店查了 {ghost} 次；{entries} 个条目"
        "在 {seconds} 秒内一起过期。",
    )
    holds = stampede_loads == 1 and ghost_loads == 1
    filled = sentence.fill(
        readers=READERS, loads=stampede_loads, ghost=ghost_loads, entries=ENTRIES, seconds=len(ends)
    )
    return Outcome(holds, filled)


def _cache(run: Scratch, loads: list[str]) -> cache.Cache[dict[str, str]]:
    def load(_run: str, name: str) -> dict[str, str] | None:
        loads.append(name)
        return None if name == "ghost" else {"name": name}

    shops = cache.Cache(pattern_keys.SCRATCH["hash"], load=load, fresh=MINUTE / 2, ttl=MINUTE)
    run.own(kit_keys.CACHE_COUNTS(cache=shops.name))
    return shops


def _stampede(run: Scratch) -> list[State]:
    """What ten readers of an absent entry get: one loads, the others wait."""
    entry = run.key("hash", "absent")
    read = [
        cache.READ(client.get(), keys=[entry], args=[f"reader-{number}", LEASE_MS, ""])
        for number in range(READERS)
    ]
    return [state for state, _value, _generation in read]


def _read_with_leases(run: Scratch) -> Outcome:
    states = _stampede(run)
    loads: list[str] = []
    shops = _cache(run, loads)
    names = [f"shop-{number}" for number in range(ENTRIES)]
    for name in ["ghost"] * READERS + names:
        run.key("hash", name)
        shops.get(run.run, name)
    ends = {run.do("PTTL", run.key("hash", name)) // 100 for name in names}
    one_loads, ghost_loads = states.count(State.LOAD), loads.count("ghost")
    sentence = Text(
        "{readers} readers of one expired entry: {loads} loads, {waits} wait for it. A missing shop was "
        "looked up {ghost} time(s). {entries} entries expire at {moments} different moments.",
        "{readers} 个人读同一个过期条目：{loads} 个去加载，{waits} 个等它。一家不存在的店只查了 {ghost} 次。"
        "{entries} 个条目在 {moments} 个不同的时刻过期。",
    )
    filled = sentence.fill(
        readers=READERS,
        loads=one_loads,
        waits=states.count(State.WAIT),
        ghost=ghost_loads,
        entries=ENTRIES,
        moments=len(ends),
    )
    return Outcome(one_loads == 1 and ghost_loads == 1 and len(ends) > 1, filled)


def _prepare(run: Scratch) -> None:
    run.do("SET", run.key("string", "shop"), '{"name":"shop"}', "EX", 60)
    run.key("hash", "shop")


def _naive_round(run: Scratch) -> None:
    run.do("GET", run.key("string", "shop"))


def _our_round(run: Scratch) -> None:
    cache.READ(client.get(), keys=[run.key("hash", "shop")], args=["reader", LEASE_MS, ""])


PATTERN = Pattern(
    slug="cache",
    title=Text("Cache and its three failures", "缓存与它的三种失败"),
    summary=Text(
        "Breakdown, penetration, avalanche: one entry that knows who loads it answers all three.",
        "击穿、穿透、雪崩：一个知道由谁加载的条目同时解决三者。",
    ),
    problem=Text(
        "A shop's page is read thousands of times and changed twice a day, so its data are kept in Redis. "
        "The trouble comes when an entry is missing: expired, never there, or gone together with many "
        "others.",
        "一家店的页面被读上千次，一天只改两次，所以数据放在 Redis 里。麻烦在条目缺失的时候：刚过期、从来不"
        "存在、或与许多别的条目一起消失。",
    ),
    naive=Way(
        Text(
            "GET; if nothing is there, load from SQL and SET. All readers of a hot entry that just expired "
            "load it (breakdown). What does not exist is loaded each time (penetration). Entries that were "
            "filled together expire together (avalanche).",
            "先 GET；没有就从 SQL 加载再 SET。热点条目刚过期时，所有读者都去加载（击穿）。不存在的东西每次"
            "都去查（穿透）。一起写入的条目一起过期（雪崩）。",
        ),
        _read_naively,
    ),
    ours=Way(
        Text(
            "The entry is a hash that also holds a lease. The first reader gets the lease and loads; "
            "others get the old value or wait a moment. “Not there” is remembered for 30 seconds. Expiries "
            "are spread over the last fifth of their time. Deleting the key also refuses a load that is "
            "still running.",
            "条目是一个哈希，里面还有一份租约。第一个读者拿到租约去加载；其他人得到旧值，或稍等片刻。"
            "“不存在”会记住 30 秒。过期时间分散在最后五分之一里。删除键也会让仍在进行的加载作废。",
        ),
        _read_with_leases,
    ),
    scripts=(cache.READ, cache.FILL),
    functions=(cache.Cache.get, cache.Cache.invalidate),
    keys=(
        LiveKey(
            shop_keys.DETAIL,
            Text("one shop as JSON, with its lease", "一家店的 JSON，以及租约"),
            is_public=True,
        ),
        LiveKey(
            kit_keys.CACHE_COUNTS,
            Text("hits, misses and loads of one cache", "一个缓存的命中、未命中与加载次数"),
            is_public=True,
        ),
    ),
    compared=Comparison(
        about=Text(
            "One read of an entry: a plain GET, or our script, which also says who loads. The protection "
            "costs the difference.",
            "读一次条目：普通 GET，或我们的脚本（它还会指明由谁加载）。两者之差就是保护的代价。",
        ),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "One round trip a hit. Four more fields an entry. A reader who comes while the first one loads "
        "waits up to a second, then loads by itself.",
        "每次命中一个往返。每个条目多四个字段。别人加载时来的读者最多等一秒，之后自己加载。",
    ),
    limits=Text(
        "Between the commit in SQL and the deletion in Redis lies a moment in which the old value is "
        "served. If Redis is away at that moment, the old value lives until it expires.",
        "SQL 提交与 Redis 删除之间有一瞬间会读到旧值。如果那一刻 Redis 不在，旧值会留到过期。",
    ),
    sources=(
        Source(
            "Scaling Memcache at Facebook: leases (NSDI 2013)",
            "https://www.usenix.org/conference/nsdi13/technical-sessions/presentation/nishtala",
        ),
        Source("Redis in Action, chapter 2.4: Database row caching"),
    ),
)
