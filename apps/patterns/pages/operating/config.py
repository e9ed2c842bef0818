"""Settings that change while the site runs: the newest wins, and requests don't ask for them."""

import json

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client
from apps.redis_kit.transport import Arg
from apps.siteconfig import keys
from apps.siteconfig.components import copies
from apps.siteconfig.site_state import Poller

COMPONENT, OLDER, NEWER = "limits", {"per_minute": 30}, {"per_minute": 60}


def _store_naively(run: Scratch) -> Outcome:
    settings = run.key("hash", "settings")
    # Two managers save one after the other; the first one's process is slow to tell Redis.
    run.do("HSET", settings, COMPONENT, json.dumps(NEWER))
    run.do("HSET", settings, COMPONENT, json.dumps(OLDER))
    found = json.loads(run.do("HGET", settings, COMPONENT))
    sentence = Text(
        "SQL says {newer}. The late writer left {found} in Redis, and every process obeys it.",
        "SQL 里是 {newer}。迟到的写入把 {found} 留在 Redis，所有进程都照它办。",
    )
    return Outcome(found == NEWER, sentence.fill(newer=NEWER["per_minute"], found=found["per_minute"]))


def _store(run: Scratch, number: int, settings: dict[str, int]) -> bool:
    args: list[Arg] = [COMPONENT, number, json.dumps(settings)]
    return copies.STORE(client.get(), keys=[run.key("hash", "settings")], args=args)


def _store_by_script(run: Scratch) -> Outcome:
    stored = [_store(run, 5, NEWER), _store(run, 4, OLDER)]
    text = run.do("HGET", run.key("hash", "settings"), COMPONENT)
    sentence = Text(
        "Change 5 was stored, the late change 4 was refused. Redis holds “{text}”.",
        "第 5 次修改已存入，迟到的第 4 次被拒绝。Redis 里是“{text}”。",
    )
    return Outcome(stored == [True, False] and text.startswith("5 "), sentence.fill(text=text))


def _prepare(run: Scratch) -> None:
    _store(run, 1, NEWER)


def _naive_round(run: Scratch) -> None:
    run.do("HGETALL", run.key("hash", "settings"))


PATTERN = Pattern(
    slug="config",
    title=Text("Settings that change while it runs", "运行中可改的设置"),
    summary=Text(
        "Changed in the admin, known to every process within a second, asked for in no request.",
        "在后台修改，一秒内所有进程都知道，任何请求都不用去问。",
    ),
    problem=Text(
        "A limit must be lowered now, without a restart, on all hosts. Two managers may save at once, and a "
        "request must not pay for looking settings up.",
        "某个限制现在就要调低，不重启，所有主机都要生效。两个管理员可能同时保存，请求也不该为查设置付费。",
    ),
    naive=Way(
        Text(
            "Write the setting to Redis after saving it in SQL, read it in each request. A slow writer "
            "overwrites the newer setting, and each request pays a round trip.",
            "存入 SQL 后写进 Redis，每个请求都读。慢的写入者会盖掉更新的设置，每个请求还要付一个往返。",
        ),
        _store_naively,
    ),
    ours=Way(
        Text(
            "Each change has a number from SQL; store_newer_settings.lua refuses a smaller one. A thread "
            "of each process reads all settings once a second, and requests use that copy.",
            "每次修改有来自 SQL 的编号；store_newer_settings.lua 拒绝更小的。每个进程有一个线程每秒读一次，"
            "请求用那份副本。",
        ),
        _store_by_script,
    ),
    scripts=(copies.STORE,),
    functions=(copies.Copy.load, Poller.ensure_read),
    keys=(LiveKey(keys.SETTINGS, Text("number and settings of each component", "每个组件的编号与设置")),),
    compared=Comparison(
        about=Text(
            "A setting for one request: read from Redis, or from the process's copy (no round trip).",
            "一个请求取一次设置：从 Redis 读，或从进程的副本读（没有往返）。",
        ),
        naive=_naive_round,
        ours=lambda _run: copies.copy.overrides_of(COMPONENT),
        prepare=_prepare,
    ),
    costs=Text(
        "One round trip a second and process, whatever the number of requests.",
        "每个进程每秒一个往返，与请求数量无关。",
    ),
    limits=Text(
        "For up to a second processes differ. What may never differ, such as a price, is read with the row. "
        "While Redis is away the last copy holds.",
        "最多一秒内各进程会不一致。绝不能不一致的东西（例如价格）随行一起读。Redis 不在时沿用最后的副本。",
    ),
    sources=(Source("Redis in Action, chapter 5.4: Service discovery and configuration"),),
)
