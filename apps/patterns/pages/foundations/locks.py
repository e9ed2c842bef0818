"""Locks: one holder at a time, who alone can release it, with a fencing number that rises."""

import secrets

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, locks
from apps.redis_kit import keys as kit_keys
from apps.redis_kit.locks import drivers, protocol
from apps.redis_kit.locks.exclusive import RELEASE_PLAIN
from apps.redis_kit.locks.lock import Lock
from apps.redis_kit.locks.protocol import Answer, Reply, Request

LEASE_MS = 10_000


def _lock_naively(run: Scratch) -> Outcome:
    lock = run.key("string", "lock")
    run.do("SET", lock, "locked", "NX", "PX", LEASE_MS)
    # Alice's process freezes, and her lease ends.
    run.do("PEXPIRE", lock, 0)
    bob_has_it = bool(run.do("SET", lock, "locked", "NX", "PX", LEASE_MS))
    # Alice wakes up, finishes, and "gives back her lock".
    run.do("DEL", lock)
    charlie_has_it = bool(run.do("SET", lock, "locked", "NX", "PX", LEASE_MS))
    sentence = Text(
        "Alice froze past her lease and then deleted Bob's lock. Charlie got it too: Bob {bob}, Charlie "
        "{charlie}.",
        "Alice 停顿到租约过期，醒来删掉了 Bob 的锁。Charlie 也拿到了：Bob {bob}，Charlie {charlie}。",
    )
    holds = not (bob_has_it and charlie_has_it)
    return Outcome(holds, sentence.fill(bob=bob_has_it, charlie=charlie_has_it))


def _request(run: Scratch, person: str) -> Request:
    name = run.name("lock")
    for declared in (kit_keys.LOCK_HOLDERS, kit_keys.LOCK_WAITERS, kit_keys.LOCK_STATE):
        run.own(declared(name=name))
    return Request(
        name=name,
        mode="w",
        owner=person,
        acquisition=secrets.token_hex(8),
        lease=LEASE_MS,
        permits=1,
        fair=False,
        last_fence=0,
    )


def _acquire(request: Request) -> Reply:
    reply = drivers.call(request.acquire(join=False), client.get())
    assert isinstance(reply, Reply)
    return reply


def _lock_by_script(run: Scratch) -> Outcome:
    alice, bob, charlie = (_request(run, person) for person in ("alice", "bob", "charlie"))
    first = _acquire(alice)
    # Alice's lease ends: her holder's score lies in the past.
    run.do("ZADD", kit_keys.LOCK_HOLDERS(name=alice.name), 1, alice.member)
    second = _acquire(bob)
    was_hers = drivers.call(alice.release(), client.get())
    third = _acquire(charlie)
    holds = (second.answer, third.answer, bool(was_hers)) == (Answer.HELD, Answer.TAKEN, False)
    sentence = Text(
        "Alice's late release changed nothing: Bob still holds the lock, Charlie waits. Bob's number {bob} "
        "is above Alice's {alice}, so a store can refuse her late write.",
        "Alice 迟到的释放没有影响：锁还在 Bob 手里，Charlie 等待。Bob 的编号 {bob} 大于 Alice 的 {alice}，"
        "存储可以拒绝她迟到的写入。",
    )
    return Outcome(
        holds and second.number > first.number, sentence.fill(bob=second.number, alice=first.number)
    )


def _naive_round(run: Scratch) -> None:
    lock = run.key("string", "lock")
    run.do("SET", lock, "locked", "NX", "PX", LEASE_MS)
    run.do("DEL", lock)


def _our_round(run: Scratch) -> None:
    with locks.lock(run.name("lock"), lease=LEASE_MS / 1_000, wait=0):
        pass


PATTERN = Pattern(
    slug="locks",
    title=Text("Locks between processes", "进程之间的锁"),
    summary=Text(
        "SET NX and DEL are not enough: a holder that froze gives back somebody else's lock.",
        "只用 SET NX 和 DEL 不够：停顿过的持有者会释放别人的锁。",
    ),
    problem=Text(
        "A nightly job may run in one process only, and processes die or freeze. A lock must end by "
        "itself, and whoever wakes up late must not harm the next holder.",
        "夜间任务只能有一个进程在跑，而进程会死也会停顿。锁必须能自己结束，醒得晚的人不能伤到下一个持有者。",
    ),
    naive=Way(
        Text(
            "SET lock NX with an expiry, work, DEL lock. If the work takes longer than the expiry, the lock "
            "belongs to the next one by then, and DEL deletes it.",
            "SET lock NX 带过期时间，干活，然后 DEL lock。如果干活时间超过过期时间，锁已经属于下一个人，"
            "DEL 删的是他的锁。",
        ),
        _lock_naively,
    ),
    ours=Way(
        Text(
            "Each holder has a member of its own with the moment in which its lease ends, by the server's "
            "clock. Giving back removes only one's own member. Each holder gets a number above all earlier "
            "ones: a fencing token. Waiters queue, and one release wakes one of them.",
            "每个持有者有自己的成员，记录租约结束的时刻，以服务器时钟为准。释放只删除自己的成员。"
            "每个持有者得到一个比以前都大的编号：防护令牌。等待者排队，一次释放唤醒一个。",
        ),
        _lock_by_script,
    ),
    scripts=(protocol.ACQUIRE, protocol.RELEASE, RELEASE_PLAIN),
    functions=(locks.run_exclusively, locks.plain, Lock.acquire),
    keys=(
        LiveKey(kit_keys.LOCK_HOLDERS, Text("holders, and when their leases end", "持有者及其租约结束时刻")),
        LiveKey(kit_keys.LOCK_STATE, Text("the newest number", "最新的编号")),
        LiveKey(kit_keys.PLAIN_LOCK, Text("locks of scheduled jobs", "定时任务的锁")),
    ),
    compared=Comparison(
        about=Text("A free lock, taken and given back.", "取得一把空闲的锁，再还回去。"),
        naive=_naive_round,
        ours=_our_round,
        prepare=lambda run: _request(run, "alice"),
    ),
    costs=Text(
        "Two round trips, as the naive way has. Three small keys while it is used.",
        "两个往返，与朴素做法一样。使用期间有三个小键。",
    ),
    limits=Text(
        "A lock saves work; it does not protect data by itself. Where two writers would do harm, let SQL "
        "compare the number or have a unique constraint. A lost Redis loses its locks.",
        "锁是为了省事，它本身不保护数据。若两个写入者会造成损害，就让 SQL 比较编号，或用唯一约束。"
        "Redis 丢了，锁也就丢了。",
    ),
    sources=(
        Source("Redis in Action, chapter 6.2: Distributed locking"),
        Source(
            "Martin Kleppmann: How to do distributed locking (2016)",
            "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html",
        ),
        Source(
            "Redisson: locks and synchronizers",
            "https://redisson.pro/docs/data-and-services/locks-and-synchronizers/",
        ),
    ),
)
