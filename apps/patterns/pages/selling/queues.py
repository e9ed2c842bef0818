"""Pub/sub is no queue: who is not there hears nothing."""

from apps.coupons import keys
from apps.patterns import queue_designs
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, stream_group
from apps.redis_kit.stream_group import Group

GROUP, MESSAGES = "workers", 4


def _send_naively(run: Scratch) -> Outcome:
    channel = run.key("list", "channel")
    # The consumer restarts, which takes a second; four orders come meanwhile.
    heard = sum(run.do("PUBLISH", channel, f"order-{number}") for number in range(MESSAGES))
    kept = run.do("EXISTS", channel)
    sentence = Text(
        "{sent} orders published while the consumer restarted: {heard} were heard, {kept} are kept.",
        "消费者重启时发布了 {sent} 个订单：听到 {heard} 个，保留 {kept} 个。",
    )
    return Outcome(heard + kept == MESSAGES, sentence.fill(sent=MESSAGES, heard=heard, kept=kept))


def _group(run: Scratch, name: str) -> Group:
    return Group([run.key("stream", name)], group=GROUP, consumer="second", connection="default")


def _send_to_a_stream(run: Scratch) -> Outcome:
    group = _group(run, "orders")
    group.create()
    for number in range(MESSAGES):
        run.do("XADD", group.streams[0], "*", "order", number)
    backlog = stream_group.read_backlog(client.get(), group.streams, GROUP)
    ((_stream, entries),) = run.do(
        "XREADGROUP", "GROUP", GROUP, "second", "COUNT", 9, "STREAMS", group.streams[0], ">"
    )
    sentence = Text(
        "{sent} orders sent while nobody was there: {lag} waited, and the consumer then read {read}.",
        "没有人在时发出 {sent} 个订单：{lag} 个在等，消费者回来后读到 {read} 个。",
    )
    filled = sentence.fill(sent=MESSAGES, lag=backlog.lag, read=len(entries))
    return Outcome(len(entries) == MESSAGES == backlog.lag, filled)


def _naive_round(run: Scratch) -> None:
    run.do("PUBLISH", run.key("list", "channel"), "order")


def _our_round(run: Scratch) -> None:
    run.do("XADD", run.key("stream", "round"), "*", "order", 1)


PATTERN = Pattern(
    slug="queues",
    title=Text("Four queues compared", "四种队列的比较"),
    summary=Text(
        "List, list with backup, pub/sub, stream: what each loses when its consumer dies.",
        "列表、带备份的列表、发布订阅、流：消费者死去时各会丢什么。",
    ),
    problem=Text(
        "Something must get from the web process to a worker. Four commands seem to do it; they differ in "
        "where a message is while nobody, or a dying one, has it.",
        "有东西要从网页进程交给工作进程。看起来四种命令都行；区别在于没有人拿、或拿的人正在死去时，消息在哪"
        "里。",
    ),
    naive=Way(
        Text(
            "PUBLISH: fast, and kept by nobody. A subscriber that restarts misses all that came meanwhile.",
            "PUBLISH：很快，但谁也不保存。重启中的订阅者会错过这段时间的一切。",
        ),
        _send_naively,
    ),
    ours=Way(
        Text(
            "A stream for work that must be done; pub/sub only for news that one can do without, such as "
            "“the lock is free”. `make bench-queues` kills real consumers of all four designs and "
            "counts.",
            "必须完成的工作用流；发布订阅只用于可有可无的消息，例如“锁空闲了”。`make bench-queues` "
            "真的杀掉四种设计的消费者并计数。",
        ),
        _send_to_a_stream,
    ),
    scripts=(stream_group.BACKLOG,),
    functions=(queue_designs.PubSubQueue, queue_designs.ListWithBackupQueue, queue_designs.StreamQueue),
    keys=(LiveKey(keys.ORDERS, Text("the queue of the sale", "秒杀的队列")),),
    compared=Comparison(
        about=Text("One message sent: PUBLISH, or XADD.", "发送一条消息：PUBLISH 或 XADD。"),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "A stream keeps about 100 bytes a message until it is done.",
        "流中的每条消息在完成前约占 100 字节。",
    ),
    limits=Text(
        "No design handles each message exactly once. Whatever must not happen twice notices the repetition.",
        "没有哪种设计能恰好一次。不能发生两次的事，必须自己识别重复。",
    ),
    sources=(
        Source(
            "Redis documentation: Pub/Sub, delivery semantics", "https://redis.io/docs/latest/develop/pubsub/"
        ),
        Source("Redis in Action, chapter 6.4 and 6.5"),
    ),
)
