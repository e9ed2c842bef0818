"""Log shipping: blocks under a memory limit, counted once, whatever dies."""

from collections import Counter

from isal import isal_zlib

from apps.logship import analysing, block_stream, keys
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, transport

ANALYSER, FILE, LIMIT, PATIENCE_MS = "visits", "access.jsonl", 64 * 2**20, 600_000
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
    counted = int(run.do("HGET", counts, "GET /shops/"))
    true = Counter(LINES)["GET /shops/"]
    sentence = Text(
        "/shops/ was visited {true} times. After one death the count says {shown}.",
        "/shops/ 被访问 {true} 次。死了一回之后，计数是 {shown}。",
    )
    return Outcome(counted == true, sentence.fill(true=true, shown=counted))


def _send(run: Scratch, text: bytes, start: int) -> block_stream.Sending:
    named = [run.key("stream", "blocks"), run.key("hash", "sent"), run.key("hash", "state")]
    packed = isal_zlib.compress(text, block_stream.COMPRESSION_LEVEL)
    args = [FILE, start, len(text), isal_zlib.crc32(text), 0, LIMIT, PATIENCE_MS, packed]
    return block_stream.SEND(client.get(), keys=named, args=args)


def _settle(run: Scratch, done: str = block_stream.BEGINNING) -> str:
    """Tell what the analyser has done; returns its group's newest block."""
    named = [run.key("stream", "blocks"), run.key("hash", "state")]
    return block_stream.SETTLE(client.get(), keys=named, args=[ANALYSER, done])


def _read(run: Scratch, after: str) -> tuple[str, bytes, int]:
    """(id, text, offset in the file) of the next block."""
    command = ("XRANGE", run.key("stream", "blocks"), f"({after}", "+", "COUNT", 1)
    entry_id, flat = transport.execute_binary(client.get(), command)[0]
    fields = flat if isinstance(flat, dict) else dict(zip(flat[::2], flat[1::2], strict=True))
    return entry_id.decode(), isal_zlib.decompress(fields[b"text"]), int(fields[b"start"])


def _analyse(run: Scratch, text: bytes, start: int) -> None:
    """Count a block and note the offset in one transaction, unless it is counted already.

    The site does it in SQL, beside its numbers.
    """
    counts = run.key("hash", "counts")
    if int(run.do("HGET", counts, "offset") or 0) > start:
        return
    with client.get().pipeline(transaction=True) as pipe:
        for line, times in Counter(text.decode().splitlines()).items():
            pipe.hincrby(counts, line, times)
        pipe.hset(counts, "offset", str(start + len(text)))
        pipe.execute()


def _count_by_blocks(run: Scratch) -> Outcome:
    _send(run, TEXT, start=0)
    again = _send(run, TEXT, start=0)
    # The first analyser dies before it says that the block is done; the next one finds it where it was.
    for _ in range(2):
        block, text, start = _read(run, after=_settle(run))
        _analyse(run, text, start)
    _settle(run, block)
    counted = int(run.do("HGET", run.key("hash", "counts"), "GET /shops/"))
    left = int(run.do("XLEN", run.key("stream", "blocks")))
    sentence = Text(
        "Sent twice, it is one block; read twice, /shops/ was counted {counted} times. {left} blocks "
        "are left.",
        "发送两次仍是一个块；读了两次，/shops/ 计了 {counted} 次。剩下 {left} 个块。",
    )
    is_sent_once = again.outcome is block_stream.SendOutcome.ELSEWHERE
    holds = is_sent_once and left == 0 and counted == Counter(LINES)["GET /shops/"]
    return Outcome(holds, sentence.fill(counted=counted, left=left))


def _naive_round(run: Scratch) -> None:
    lines = run.key("list", "lines")
    for number in range(MANY_LINES):
        run.do("RPUSH", lines, f"GET /shops/{number}/")
    run.do("DEL", lines)


def _our_round(run: Scratch) -> None:
    run.do("DEL", run.key("hash", "sent"))
    text = "\n".join(f"GET /shops/{number}/" for number in range(MANY_LINES)).encode()
    _send(run, text, start=0)
    block, _text, _start = _read(run, after=_settle(run))
    _settle(run, block)


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
            "Compressed blocks in a stream, each with its offset in the file; a block that is sent again "
            "adds nothing. An analyser stores counts and offset in one transaction; a block that it reads "
            "again is below the offset and counts nothing. What all analysers have done is freed.",
            "流里是压缩块，各带文件中的偏移；重发的块什么也不添加。分析器在同一事务里存计数和偏移；再读到的"
            "块低于偏移，不再计数。所有分析器都做完的块会被释放。",
        ),
        _count_by_blocks,
    ),
    scripts=(block_stream.SEND, block_stream.SETTLE, block_stream.FREE),
    functions=(block_stream.send, analysing.Reader.step),
    keys=(
        LiveKey(keys.STATE, Text("what the stream holds, and who reads it", "流里有多少，谁在读")),
        LiveKey(keys.SENT, Text("how far each file is sent", "每个文件发送到哪里")),
    ),
    compared=Comparison(
        about=Text(
            "200 lines sent and freed: one by one, or as a block.",
            "200 行的发送与释放：逐行，或作为一块。",
        ),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "One round trip for a thousand lines and more; a sixth of the text's size while it waits.",
        "一千多行一个往返；等待期间只占原文六分之一的大小。",
    ),
    limits=Text(
        "The stream needs a bound: the sender looks at its memory and waits, for the files are the "
        "buffer. With several analysers a block is deleted behind the slowest.",
        "流要有上限：发送者看内存占用，满了就等，文件就是缓冲。有几个分析器时，最慢的走过之后块才删除。",
    ),
    sources=(Source("Redis in Action, chapter 6.6: Distributing files with Redis"),),
)
