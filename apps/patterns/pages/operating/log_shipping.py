"""Log shipping: blocks under a memory limit, counted once, whatever dies."""

import zlib
from collections import Counter

from apps.coupons import keys
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, stream_group

GROUP, LEVEL = "visits", 1
LINES = ["GET /shops/", "GET /", "GET /shops/"]
TEXT = "\n".join(LINES).encode() + b"\n"
MANY_LINES = 200


def _count_naively(run: Scratch) -> Outcome:
    lines, counts = run.key("list", "lines"), run.key("hash", "counts")
    run.do("RPUSH", lines, *LINES)
    # The analyser counts what it reads and dies before it notes how far it is; the next one begins again.
    for _ in range(2):
        for line in run.do("LRANGE", lines, 0, -1):
            run.do("HINCRBY", counts, line, 1)
    run.do("DEL", lines)
    shown = int(run.do("HGET", counts, "GET /shops/"))
    true = Counter(LINES)["GET /shops/"]
    sentence = Text(
        "/shops/ was visited {true} times. After one death the count says {shown}.",
        "/shops/ 被访问 {true} 次。死了一回之后，计数是 {shown}。",
    )
    return Outcome(shown == true, sentence.fill(true=true, shown=shown))


def _send(run: Scratch, text: bytes, start: int) -> str:
    packed = zlib.compress(text, LEVEL).hex()
    block: str = run.do("XADD", run.key("stream", "blocks"), "*", "start", start, "text", packed)
    return block


def _analyse(run: Scratch, text: bytes, start: int) -> None:
    """Count a block and note the offset in one transaction, unless it is counted already."""
    counts = run.key("hash", "counts")
    if int(run.do("HGET", counts, "offset") or 0) > start:
        return
    with client.get().pipeline(transaction=True) as pipe:
        for line, times in Counter(text.decode().splitlines()).items():
            pipe.hincrby(counts, line, times)
        pipe.hset(counts, "offset", str(start + len(text)))
        pipe.execute()


def _count_by_blocks(run: Scratch) -> Outcome:
    stream = run.key("stream", "blocks")
    run.do("XGROUP", "CREATE", stream, GROUP, "0", "MKSTREAM")
    block = _send(run, TEXT, start=0)
    run.do("XREADGROUP", "GROUP", GROUP, "first", "COUNT", 1, "STREAMS", stream, ">")
    _analyse(run, TEXT, start=0)
    # The analyser dies before it says that the block is done; the next one takes it over.
    claimed, _gone = stream_group.CLAIM(client.get(), keys=[stream], args=[GROUP, "second", 0, block])
    for fields in claimed.values():
        _analyse(run, zlib.decompress(bytes.fromhex(fields["text"])), int(fields["start"]))
    stream_group.SETTLE(client.get(), keys=[stream], args=[GROUP, block])
    counted, left = int(run.do("HGET", run.key("hash", "counts"), "GET /shops/")), run.do("XLEN", stream)
    sentence = Text(
        "The block came twice, /shops/ was counted {counted} times. {left} blocks are left.",
        "块来了两次，/shops/ 计了 {counted} 次。剩下 {left} 个块。",
    )
    holds = len(claimed) == 1 and left == 0 and counted == Counter(LINES)["GET /shops/"]
    return Outcome(holds, sentence.fill(counted=counted, left=left))


def _prepare(run: Scratch) -> None:
    run.do("XGROUP", "CREATE", run.key("stream", "blocks"), GROUP, "0", "MKSTREAM")


def _naive_round(run: Scratch) -> None:
    lines = run.key("list", "lines")
    for number in range(MANY_LINES):
        run.do("RPUSH", lines, f"GET /shops/{number}/")
    run.do("DEL", lines)


def _our_round(run: Scratch) -> None:
    text = "\n".join(f"GET /shops/{number}/" for number in range(MANY_LINES)).encode()
    block, stream = _send(run, text, start=0), run.key("stream", "blocks")
    run.do("XREADGROUP", "GROUP", GROUP, "first", "COUNT", 1, "STREAMS", stream, ">")
    stream_group.SETTLE(client.get(), keys=[stream], args=[GROUP, block])


PATTERN = Pattern(
    slug="log-shipping",
    title=Text("Log shipping", "日志传送"),
    summary=Text(
        "Gigabytes of log lines through a few megabytes of Redis, no line lost or counted twice.",
        "几 GB 的日志通过几 MB 的 Redis，一行不丢，一行不重。",
    ),
    problem=Text(
        "Access logs of several hosts are counted by several analysers. Redis has little memory, an "
        "analyser may be slow, and each of them may be killed at any line.",
        "几台主机的访问日志由几个分析器统计。Redis 内存不多，分析器可能很慢，谁都可能在任何一行被杀掉。",
    ),
    naive=Way(
        Text(
            "Push each line into a list and count what comes. Who dies between counting and noting the place "
            "counts again; nobody bounds the list; a line is a round trip.",
            "把每行推入列表，来了就计数。若死在计数与记下位置之间，就会再计一遍；列表没有上限；一行一个往"
            "返。",
        ),
        _count_naively,
    ),
    ours=Way(
        Text(
            "Compressed blocks in a stream, each with its offset in the file. An analyser stores counts "
            "and offset in one transaction; a block that comes again is below the offset and counts "
            "nothing. It is deleted when it is done.",
            "流里是压缩块，各带文件中的偏移。分析器在同一事务里存计数和偏移；再来的块低于偏移，不再计数。"
            "做完就删除。",
        ),
        _count_by_blocks,
    ),
    scripts=(stream_group.CLAIM, stream_group.SETTLE),
    functions=(stream_group.Group.settle,),
    keys=(LiveKey(keys.ORDERS, Text("a stream of work with a group", "带消费组的工作流")),),
    compared=Comparison(
        about=Text(
            "200 lines sent and freed: one by one, or as a block.",
            "200 行的发送与释放：逐行，或作为一块。",
        ),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "One round trip for a thousand lines and more; a fifth of the text's size while it waits.",
        "一千多行一个往返；等待期间只占原文五分之一的大小。",
    ),
    limits=Text(
        "The stream needs a bound: the sender looks at its memory and waits, for the files are the "
        "buffer. With several analysers a block is deleted behind the slowest.",
        "流要有上限：发送者看内存占用，满了就等，文件就是缓冲。有几个分析器时，最慢的走过之后块才删除。",
    ),
    sources=(Source("Redis in Action, chapter 6.6: Distributing files with Redis"),),
)
