"""Streams with a consumer group: a message survives the process that takes it."""

from apps.coupons import keys
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, stream_group, streams

GROUP, MESSAGES = "workers", 3


def _consume_naively(run: Scratch) -> Outcome:
    queue, handled = run.key("list", "queue"), []
    for number in range(MESSAGES):
        run.do("LPUSH", queue, f"order-{number}")
    # The first consumer takes one and dies; the second handles what it finds.
    run.do("RPOP", queue)
    while message := run.do("RPOP", queue):
        handled.append(message)
    sentence = Text(
        "{sent} orders were sent, {handled} were handled. The one in the dead consumer's hands is nowhere.",
        "发出 {sent} 个订单，处理了 {handled} 个。死去的消费者手里那个，哪里都找不到了。",
    )
    return Outcome(len(handled) == MESSAGES, sentence.fill(sent=MESSAGES, handled=len(handled)))


def _consume_from_a_stream(run: Scratch) -> Outcome:
    stream = run.key("stream", "orders")
    run.do("XGROUP", "CREATE", stream, GROUP, "0", "MKSTREAM")
    for number in range(MESSAGES):
        run.do("XADD", stream, "*", "order", number)
    # The first consumer takes one and dies.
    ((_stream, ((taken, _fields),)),) = run.do(
        "XREADGROUP", "GROUP", GROUP, "first", "COUNT", 1, "STREAMS", stream, ">"
    )
    claimed, _deleted = stream_group.CLAIM(client.get(), keys=[stream], args=[GROUP, "second", 0, taken])
    ((_stream, fresh),) = run.do("XREADGROUP", "GROUP", GROUP, "second", "COUNT", 9, "STREAMS", stream, ">")
    handled = [*claimed, *(entry for entry, _fields in fresh)]
    settled = stream_group.SETTLE(client.get(), keys=[stream], args=[GROUP, *handled])
    left = run.do("XLEN", stream)
    sentence = Text(
        "{handled} of {sent} handled: the second consumer took over what the dead one had. {left} are left.",
        "{sent} 个处理了 {handled} 个：第二个消费者接手了死者的那一个。剩下 {left} 个。",
    )
    filled = sentence.fill(handled=len(handled), sent=MESSAGES, left=left)
    return Outcome(settled == MESSAGES and left == 0, filled)


def _naive_round(run: Scratch) -> None:
    queue = run.key("list", "round")
    run.do("LPUSH", queue, "order")
    run.do("RPOP", queue)


def _prepare(run: Scratch) -> None:
    run.do("XGROUP", "CREATE", run.key("stream", "round"), GROUP, "0", "MKSTREAM")


def _our_round(run: Scratch) -> None:
    stream = run.key("stream", "round")
    entry = run.do("XADD", stream, "*", "order", 1)
    run.do("XREADGROUP", "GROUP", GROUP, "first", "COUNT", 1, "STREAMS", stream, ">")
    stream_group.SETTLE(client.get(), keys=[stream], args=[GROUP, entry])


PATTERN = Pattern(
    slug="streams",
    title=Text("Streams and consumer groups", "流与消费组"),
    summary=Text(
        "An accepted order must become a row, even when the process that took it is killed.",
        "已接受的订单必须变成一行，哪怕拿到它的进程被杀掉。",
    ),
    problem=Text(
        "The sale accepts an order in Redis; another process writes its row. Processes are killed at the "
        "worst moment: with a message in their hands.",
        "秒杀在 Redis 里接受订单，由另一个进程写入数据库。进程总在最坏的时刻被杀：手里正拿着一条消息。",
    ),
    naive=Way(
        Text(
            "LPUSH and RPOP. Taking a message removes it, so a consumer that dies before it is done takes "
            "the message along.",
            "LPUSH 与 RPOP。取走即删除，消费者没干完就死，消息也跟着没了。",
        ),
        _consume_naively,
    ),
    ours=Way(
        Text(
            "XREADGROUP notes who has which entry. An entry that stays idle too long is claimed by another "
            "consumer. After the commit in SQL it is acknowledged and deleted in one script. Entries that "
            "fail again and again go to the dead letters.",
            "XREADGROUP 记下谁拿着哪个条目。闲置太久的条目由别的消费者接手。SQL 提交之后，"
            "一个脚本确认并删除它。反复失败的条目进入死信。",
        ),
        _consume_from_a_stream,
    ),
    scripts=(stream_group.CLAIM, stream_group.SETTLE),
    functions=(streams.Consumer.round, stream_group.Group.claim),
    keys=(LiveKey(keys.ORDERS, Text("orders that have no row yet", "还没有写入数据库的订单")),),
    compared=Comparison(
        about=Text(
            "One message sent, taken and finished, alone; in batches of 100 the difference is small.",
            "一条消息的发送、取走与完成（单条）；每批 100 条时差别很小。",
        ),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "One more round trip a batch, and about 100 bytes for an entry that is not finished.",
        "每批多一个往返，每个未完成的条目约 100 字节。",
    ),
    limits=Text(
        "At least once, never exactly once: a consumer that dies between commit and acknowledgement makes an "
        "entry come again. The order's own id makes the second insert harmless.",
        "至少一次，不是恰好一次：提交后、确认前死去，条目会再来一次。订单自己的编号让第二次插入无害。",
    ),
    sources=(
        Source("Redis documentation: Streams", "https://redis.io/docs/latest/develop/data-types/streams/"),
        Source("Redis in Action, chapter 6.4: Task queues"),
    ),
)
