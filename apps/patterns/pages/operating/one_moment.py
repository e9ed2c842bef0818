"""One round trip: several keys read together, in one moment where that matters."""

from apps.coupons import keys
from apps.coupons.reconcile import sale_invariants
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, transport

UNITS, MANY = 10, 20


def _start(run: Scratch) -> tuple[str, str]:
    stock, sold = run.key("string", "stock"), run.key("string", "sold")
    run.do("MSET", stock, UNITS, sold, 0)
    return stock, sold


def _sell(run: Scratch, stock: str, sold: str) -> None:
    run.do("DECR", stock)
    run.do("INCR", sold)


def _read_naively(run: Scratch) -> Outcome:
    stock, sold = _start(run)
    left = int(run.do("GET", stock))
    # Somebody buys between the two reads.
    _sell(run, stock, sold)
    gone = int(run.do("GET", sold))
    sentence = Text(
        "{left} left and {gone} sold make {sum}, but there were only {units}.",
        "剩 {left} 份，卖出 {gone} 份，合计 {sum}，可一共只有 {units} 份。",
    )
    filled = sentence.fill(left=left, gone=gone, sum=left + gone, units=UNITS)
    return Outcome(left + gone == UNITS, filled)


def _read_together(run: Scratch) -> Outcome:
    stock, sold = _start(run)
    sums = []
    for _ in range(2):
        left, gone = run.do("MGET", stock, sold)
        sums.append(int(left) + int(gone))
        _sell(run, stock, sold)
    sentence = Text(
        "Before and after the sale: {sums}. One command reads both keys in one moment.",
        "卖出前后：{sums}。一条命令在同一时刻读两个键。",
    )
    return Outcome(sums == [UNITS, UNITS], sentence.fill(sums=sums))


def _names(run: Scratch) -> list[str]:
    return [run.key("string", f"value-{number}") for number in range(MANY)]


def _prepare(run: Scratch) -> None:
    run.do("MSET", *(part for name in _names(run) for part in (name, "value")))


def _naive_round(run: Scratch) -> None:
    for name in _names(run):
        run.do("GET", name)


def _our_round(run: Scratch) -> None:
    transport.execute_many(client.get(), [("GET", name) for name in _names(run)])


PATTERN = Pattern(
    slug="one-round-trip",
    title=Text("One round trip, one moment", "一个往返，一个时刻"),
    summary=Text(
        "Twenty reads cost hardly more than one, if they travel together.",
        "二十次读取一起走，花费几乎与一次相同。",
    ),
    problem=Text(
        "A page needs twenty values. Redis answers each in a microsecond; the way there and back takes a "
        "hundred. And what is read at different moments need not fit together.",
        "一个页面要二十个值。Redis 每个只用一微秒；来回的路要一百微秒。而不同时刻读到的东西，彼此未必对得"
        "上。",
    ),
    naive=Way(
        Text(
            "Read one value after the other. Each waits for the one before, and between two reads others "
            "write.",
            "一个接一个地读。每个都等前一个，而两次读取之间别人在写。",
        ),
        _read_naively,
    ),
    ours=Way(
        Text(
            "Commands that don't need each other's replies are sent together (a pipeline). Where values "
            "must be of one moment, one command or one script reads them: snapshot.lua does so for the "
            "reconciliation. What has no bound, such as the buyers of a sale, is read in slices before, and "
            "what differs is read again.",
            "不依赖彼此答复的命令一起发送（流水线）。必须是同一时刻的值，由一条命令或一个脚本读取："
            "对账用的 snapshot.lua 就是这样。没有上限的数据（如一场秒杀的买家）先分批读取，"
            "有差异的再读一次。",
        ),
        _read_together,
    ),
    scripts=(sale_invariants.SNAPSHOT,),
    functions=(transport.execute_many,),
    keys=(
        LiveKey(keys.STOCK, Text("stock of a sale", "一场秒杀的库存"), is_public=True),
        LiveKey(keys.QUEUED, Text("orders that have no row yet", "还没有写入数据库的订单")),
    ),
    compared=Comparison(
        about=Text("Twenty values: one by one, or in one exchange.", "二十个值：逐个读，或一次交换。"),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "The server keeps the replies of a pipeline in memory until they are read: send some hundred "
        "commands at a time, not a million.",
        "服务器会把流水线的答复留在内存里直到被读走：一次发几百条，不要一百万条。",
    ),
    limits=Text(
        "A pipeline is no transaction: other clients' commands may come in between. In a cluster keys of "
        "several slots are several exchanges.",
        "流水线不是事务：中间可能插进别人的命令。集群里不同槽位的键要分几次交换。",
    ),
    sources=(
        Source(
            "Redis documentation: Pipelining",
            "https://redis.io/docs/latest/develop/using-commands/pipelining/",
        ),
        Source("Redis in Action, chapter 4.5: Non-transactional pipelines"),
    ),
)
