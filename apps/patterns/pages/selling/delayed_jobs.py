"""Delayed jobs: due later, run once, found again when a worker dies."""

import time

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.queues import delayed, keys
from apps.redis_kit import client

FINISH_MS, MAX_JOBS = 60_000, 10
JOB = '1 task0001 {"task":"close order 7"}'


def _take_naively(run: Scratch) -> Outcome:
    due = run.key("zset", "due")
    run.do("ZADD", due, 1, "close-order-7")
    # Two workers look at once, then each removes what it saw and runs it.
    seen = [run.do("ZRANGEBYSCORE", due, "-inf", int(time.time() * 1_000)) for _ in range(2)]
    for jobs in seen:
        run.do("ZREM", due, *jobs)
    runs = sum(len(jobs) for jobs in seen)
    sentence = Text(
        "One job was due and ran {runs} times: both workers saw it before either removed it.",
        "到期任务只有一个，却运行了 {runs} 次：两个工作进程都在移除之前看到了它。",
    )
    return Outcome(runs == 1, sentence.fill(runs=runs))


def _names(run: Scratch) -> list[str]:
    return [
        run.key("zset", "due"),
        run.key("hash", "jobs"),
        run.key("zset", "batches"),
        run.key("list", "queue"),
    ]


def _schedule(run: Scratch, names: list[str]) -> None:
    run.do("HSET", names[1], "close-order-7", JOB)
    run.do("ZADD", names[0], 1, "close-order-7")


def _move(names: list[str], finish_ms: int = FINISH_MS) -> int:
    return delayed.MOVE_DUE_JOBS(client.get(), keys=names, args=[MAX_JOBS, finish_ms]).jobs


def _take_by_script(run: Scratch) -> Outcome:
    names = _names(run)
    _schedule(run, names)
    moved = [_move(names, finish_ms=0), run.do("LLEN", names[3])]
    # The worker takes the message and dies. Its time is over at once here, so the next look finds it again.
    run.do("RPOP", names[3])
    again = _move(names)
    delayed.CONFIRM_JOB(client.get(), keys=[names[1]], args=["close-order-7", "task0001"])
    left = run.do("HLEN", names[1])
    sentence = Text(
        "Moved once into a worker's queue. The worker died, so it was moved again ({again}); after its run "
        "{left} jobs are left.",
        "只移动一次到工作队列。工作进程死了，于是再次移动（{again}）；运行结束后剩下 {left} 个任务。",
    )
    return Outcome(moved == [1, 1] and again == 1 and left == 0, sentence.fill(again=again, left=left))


def _naive_round(run: Scratch) -> None:
    due, queue = run.key("zset", "round-due"), run.key("list", "round-queue")
    run.do("ZADD", due, 1, "job")
    for job in run.do("ZRANGEBYSCORE", due, "-inf", 2):
        run.do("ZREM", due, job)
        run.do("LPUSH", queue, job)
    run.do("RPOP", queue)


def _our_round(run: Scratch) -> None:
    names = _names(run)
    _schedule(run, names)
    _move(names)
    run.do("RPOP", names[3])
    delayed.CONFIRM_JOB(client.get(), keys=[names[1]], args=["close-order-7", "task0001"])


PATTERN = Pattern(
    slug="delayed-jobs",
    title=Text("Delayed jobs", "延时任务"),
    summary=Text(
        "An unpaid order is closed after fifteen minutes: once, and even if a worker dies.",
        "未付款的订单十五分钟后关闭：只关一次，工作进程死了也能关。",
    ),
    problem=Text(
        "Each order gets a deadline. Thousands of jobs wait, few are due at a time, several workers look, "
        "and a deadline must neither be missed nor handled twice.",
        "每个订单都有期限。成千上万的任务在等，同时到期的很少，几个工作进程在看，期限既不能错过，也不能处理"
        "两次。",
    ),
    naive=Way(
        Text(
            "ZRANGEBYSCORE up to now, then ZREM and run. Two workers read the same job before either "
            "removes it; a worker that dies after ZREM loses the job.",
            "ZRANGEBYSCORE 到现在，再 ZREM 并运行。两个工作进程在移除前读到同一个任务；ZREM 之后死去，任务"
            "就丢了。",
        ),
        _take_naively,
    ),
    ours=Way(
        Text(
            "move_due_jobs.lua moves due jobs into Celery's queues in one call and remembers the batch "
            "until each run has ended. What does not end in time is moved again. One key is one job.",
            "move_due_jobs.lua 一次调用把到期任务移入 Celery 队列，并记住这一批直到每个运行结束。"
            "没有按时结束的再移动一次。一个键就是一个任务。",
        ),
        _take_by_script,
    ),
    scripts=(delayed.MOVE_DUE_JOBS, delayed.CONFIRM_JOB),
    functions=(delayed.schedule_many, delayed.cancel),
    keys=(
        LiveKey(
            keys.DELAYED_DUE,
            Text("jobs by the millisecond at which they are due", "任务与到期的毫秒"),
            connection=delayed.BROKER_CONNECTION,
        ),
        LiveKey(
            keys.DELAYED_JOBS,
            Text("the task of each job", "每个任务的内容"),
            connection=delayed.BROKER_CONNECTION,
        ),
    ),
    compared=Comparison(
        about=Text(
            "One job scheduled, moved, taken and finished. Ours also remembers it until its run is over.",
            "一个任务从安排、移动、取走到完成。我们的做法还会记住它，直到运行结束。",
        ),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "About 400 bytes a waiting job. One call moves up to 250 jobs in under 2 ms.",
        "每个等待的任务约 400 字节。一次调用最多移动 250 个，不到 2 毫秒。",
    ),
    limits=Text(
        "A task must bear being run twice. A lost server loses its jobs, so sweeps look in SQL for "
        "deadlines that passed.",
        "任务要能承受运行两次。服务器丢了，任务也丢，所以还有清扫任务在 SQL 里找过期的期限。",
    ),
    sources=(Source("Redis in Action, chapter 6.4.2: Delayed tasks"),),
)
