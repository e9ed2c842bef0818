"""Semaphores: so many at once, by one clock."""

import secrets

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client
from apps.redis_kit import keys as kit_keys
from apps.redis_kit.locks import drivers, protocol, semaphores
from apps.redis_kit.locks.protocol import Answer, Reply, Request

PERMITS, LEASE_MS = 2, 10_000


def _count_naively(run: Scratch) -> Outcome:
    holders, now = run.key("zset", "holders"), 1_000_000
    entered = []
    # Each host writes its own clock; Charlie's is ten seconds slow.
    for person, clock in (("alice", now), ("bob", now + 1), ("charlie", now - 10)):
        run.do("ZADD", holders, clock, person)
        if run.do("ZRANK", holders, person) < PERMITS:
            entered.append(person)
    sentence = Text(
        "{permits} permits, and {entered} are in: {names}. The slow clock put Charlie before the others.",
        "许可 {permits} 个，却进了 {entered} 个：{names}。慢的时钟把 Charlie 排到了前面。",
    )
    filled = sentence.fill(permits=PERMITS, entered=len(entered), names=", ".join(entered))
    return Outcome(len(entered) <= PERMITS, filled)


def _request(run: Scratch, person: str) -> Request:
    name = run.name("semaphore")
    for declared in (kit_keys.LOCK_HOLDERS, kit_keys.LOCK_WAITERS, kit_keys.LOCK_STATE):
        run.own(declared(name=name))
    acquisition = secrets.token_hex(8)
    return Request(name, "s", person, acquisition, LEASE_MS, PERMITS, fair=True, last_fence=0)


def _acquire(request: Request) -> bool:
    reply = drivers.call(request.acquire(join=False), client.get())
    assert isinstance(reply, Reply)
    return reply.answer is Answer.HELD


def _count_by_script(run: Scratch) -> Outcome:
    alice, bob, charlie = (_request(run, person) for person in ("alice", "bob", "charlie"))
    before = [_acquire(request) for request in (alice, bob, charlie)]
    # Bob's process dies: his lease ends, by the server's clock.
    run.do("ZADD", kit_keys.LOCK_HOLDERS(name=bob.name), 1, bob.member)
    after = _acquire(charlie)
    sentence = Text(
        "Alice and Bob are in, Charlie is not. When Bob's lease ends, his permit comes back and Charlie is "
        "in.",
        "Alice 和 Bob 进入，Charlie 不能。Bob 的租约结束后，许可回来，Charlie 进入。",
    )
    return Outcome(before == [True, True, False] and after, sentence)


def _naive_round(run: Scratch) -> None:
    holders, person = run.key("zset", "holders"), run.next_number()
    run.do("ZREMRANGEBYSCORE", holders, "-inf", 0)
    run.do("ZADD", holders, 1_000_000, person)
    run.do("ZRANK", holders, person)
    run.do("ZREM", holders, person)


def _our_round(run: Scratch) -> None:
    with semaphores.semaphore(run.name("round"), permits=PERMITS, lease=10, wait=0):
        pass


def _own_round_keys(run: Scratch) -> None:
    for declared in (kit_keys.LOCK_HOLDERS, kit_keys.LOCK_WAITERS, kit_keys.LOCK_STATE):
        run.own(declared(name=f"semaphore:{run.name('round')}"))


PATTERN = Pattern(
    slug="semaphores",
    title=Text("Semaphores: so many at once", "信号量：同时最多几个"),
    summary=Text(
        "Two exports at a time for the whole site, whatever the hosts' clocks say.",
        "全站同时最多两个导出，不管各主机的时钟怎么说。",
    ),
    problem=Text(
        "An export reads half the database. Two may run at once on the whole site, a third waits. A "
        "process that dies must not keep its permit for ever.",
        "一次导出要读半个数据库。全站同时可跑两个，第三个要等。死掉的进程不能永远占着许可。",
    ),
    naive=Way(
        Text(
            "ZADD the host's own time, and whoever ranks below two is in. A host whose clock is slow ranks "
            "first whenever it comes, so three run at once.",
            "用本机时间 ZADD，排名小于二的进入。时钟慢的主机总能排到前面，于是三个同时在跑。",
        ),
        _count_naively,
    ),
    ours=Way(
        Text(
            "The script of our locks in mode “s”: each holder is scored with the end of its lease by the "
            "server's clock. Ended leases are removed first, then the holders are counted, in one step.",
            "用锁的同一个脚本，模式为 “s”：每个持有者的分数是租约结束时刻，以服务器时钟为准。"
            "先清掉结束的租约，再数持有者，一步完成。",
        ),
        _count_by_script,
    ),
    scripts=(protocol.ACQUIRE, protocol.RELEASE),
    functions=(semaphores.semaphore, semaphores.SiteSemaphore.acquire),
    keys=(LiveKey(kit_keys.LOCK_HOLDERS, Text("holders of locks and permits", "锁和许可的持有者")),),
    compared=Comparison(
        about=Text("A free permit, taken and given back.", "取得一个空闲许可，再还回去。"),
        naive=_naive_round,
        ours=_our_round,
        prepare=_own_round_keys,
    ),
    costs=Text("Two round trips, one to enter and one to leave.", "两个往返，进一次、出一次。"),
    limits=Text(
        "A holder that is frozen past its lease works on while its permit is somebody else's: renew the "
        "lease during long work. Without Redis the site counts in each process alone.",
        "停顿超过租约的持有者仍在干活，许可却已归别人：长时间的工作要续租。没有 Redis 时，"
        "本站只在每个进程内计数。",
    ),
    sources=(Source("Redis in Action, chapter 6.3: Counting semaphores"),),
)
