"""Flash sale: one script decides stock, the limit of a person, and the order, all at once."""

from apps.coupons import keys
from apps.coupons.claims import seckill
from apps.coupons.claims.seckill import Outcome as ClaimOutcome
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, ids
from apps.redis_kit.transport import Arg

#: Unix milliseconds of the year 2100: the window of a scratch sale is open.
FAR_AWAY_MS = 4_102_444_800_000
VOUCHER, PARTITION, MAX_IN_FLIGHT = 7, 7, 10_000
#: Of a Cluster, the server that has the key.
SERVER_OF_KEY = "return redis.call('INFO', 'server'):match('run_id:(%x+)')"


def _sell_naively(run: Scratch) -> Outcome:
    stock = run.key("string", "stock")
    run.do("SET", stock, 1)
    # Alice and bob press together: both read before either writes.
    seen_by_alice, seen_by_bob = (int(run.do("GET", stock)) for _ in range(2))
    sold = [run.do("DECR", stock) for seen in (seen_by_alice, seen_by_bob) if seen > 0]
    sentence = Text(
        "Stock was 1. Alice and Bob both read 1, both were let in: {sold} sold, stock is now {left}.",
        "库存为 1。Alice 和 Bob 都读到 1，都被放行：卖出 {sold} 份，库存变成 {left}。",
    )
    return Outcome(len(sold) <= 1, sentence.fill(sold=len(sold), left=sold[-1]))


def _open_sale(run: Scratch, stock: int) -> list[str]:
    """The keys of claim.lua, with an open sale of that stock."""
    names = _sale_keys(run)
    run_id = run.do("EVAL", SERVER_OF_KEY, 1, names[0])
    run.do("HSET", names[0], "state", "open", "begins", 0, "ends", FAR_AWAY_MS, "epoch", 1, "server", run_id)
    run.do("SET", names[1], stock)
    return names


def _sale_keys(run: Scratch) -> list[str]:
    return [
        run.key("hash", "sale"),
        run.key("string", "stock"),
        run.key("hash", "buyers"),
        run.key("hash", "released"),
        run.key("hash", "ids"),
        run.key("stream", "orders"),
        run.key("hash", "queued"),
    ]


def _claim(names: list[str], user_id: int, token: str) -> seckill.ClaimAnswer:
    args: list[Arg] = [ids.EPOCH, MAX_IN_FLIGHT, VOUCHER, PARTITION, 1, user_id, token, "signature"]
    return seckill.CLAIM(client.get(), keys=names, args=args)[0]


def _sell_by_script(run: Scratch) -> Outcome:
    names = _open_sale(run, stock=1)
    alice, again, bob = (
        _claim(names, 1, "alices-press"),
        _claim(names, 1, "alices-press"),
        _claim(names, 2, "bobs-press"),
    )
    left = int(run.do("GET", names[1]))
    is_repeated = again == alice and alice.outcome is ClaimOutcome.ACCEPTED
    sentence = Text(
        "Alice has order {order}; her repeated request got the same order. Bob: sold out. Stock is {left}.",
        "Alice 得到订单 {order}；她重复的请求得到同一个订单。Bob：已售罄。库存为 {left}。",
    )
    holds = is_repeated and bob.outcome is ClaimOutcome.SOLD_OUT and left == 0
    return Outcome(holds, sentence.fill(order=alice.order_id, left=left))


def _prepare(run: Scratch) -> None:
    _open_sale(run, stock=1_000_000)
    run.do("SET", run.key("string", "naive-stock"), 1_000_000)


def _naive_round(run: Scratch) -> None:
    buyer, stock = run.next_number(), run.key("string", "naive-stock")
    if int(run.do("GET", stock)) > 0 and run.do("HSETNX", run.key("hash", "naive-buyers"), buyer, "order"):
        run.do("DECR", stock)
        run.do("XADD", run.key("stream", "naive-orders"), "*", "user", buyer)


def _our_round(run: Scratch) -> None:
    _claim(_sale_keys(run), run.next_number(), "press")


PATTERN = Pattern(
    slug="flash-sale",
    title=Text("Flash sale by one script", "用一个脚本做秒杀"),
    summary=Text(
        "A thousand people press at once; exactly as many as there is stock get an order.",
        "一千人同时点击，有多少库存就恰好有多少人拿到订单。",
    ),
    problem=Text(
        "A voucher with ten units begins at noon. Nobody may get more than the sale allows one person, an "
        "eleventh order may not exist, and the answer must come within milliseconds. SQL alone would queue "
        "everybody on one row.",
        "一张只有十份的优惠券正午开抢。每人不能超过限购数量，不能出现第十一个订单，而且要在几毫秒内答复。"
        "只靠 SQL，所有人都会排队等同一行的锁。",
    ),
    naive=Way(
        Text(
            "Read the stock; if some is left, take one away. Between the read and the write another buyer "
            "reads the same number. Both are let in, and the stock goes below zero.",
            "先读库存，有剩余就减一。在读和写之间，另一个买家读到了同样的数。两人都被放行，库存变成负数。",
        ),
        _sell_naively,
    ),
    ours=Way(
        Text(
            "claim.lua checks window, buyer and stock, and writes order, buyer and stock in one call. "
            "Redis runs one script at a time, so nothing comes in between. The request token makes a "
            "repeated request safe. Where one person may have several, each coupon has a field of its own "
            "among the buyers, and all of a person's are read by the same command.",
            "claim.lua 在一次调用里检查时间窗口、买家和库存，并写下订单、买家和库存。Redis 一次只运行一个脚"
            "本，中间插不进别的命令。请求令牌让重复的请求也安全。如果每人可以有多份，每份在买家的哈希里"
            "各占一个字段，同一条命令就能读出一个人的全部。",
        ),
        _sell_by_script,
    ),
    scripts=(seckill.CLAIM,),
    functions=(seckill.claim, seckill.build_call),
    keys=(
        LiveKey(keys.SALE, Text("gate and rules of a sale", "一场秒杀的开关和规则"), is_public=True),
        LiveKey(keys.STOCK, Text("units that nobody has claimed", "还没有人抢到的数量"), is_public=True),
        LiveKey(keys.BUYERS, Text("who holds an order", "谁已经有订单")),
        LiveKey(keys.ORDERS, Text("accepted orders on their way to SQL", "已接受、正写入 SQL 的订单")),
    ),
    compared=Comparison(
        about=Text(
            "One accepted claim: four commands from the application, or one script call.",
            "一次成功的抢购：应用发出四条命令，或调用一次脚本。",
        ),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "One round trip a claim. About 200 bytes for a buyer until the sale is over, and an entry in the "
        "stream until SQL has the row.",
        "每次抢购一个往返。每个买家约占 200 字节，直到活动结束；流中的条目保留到 SQL 写入为止。",
    ),
    limits=Text(
        "A script blocks the server while it runs, so it must stay short. All its keys share one slot. "
        "What Redis accepted and lost in a crash within the last second has no row yet; reconcile gives "
        "the unit back.",
        "脚本运行时会独占服务器，所以必须短小。它的键都在同一个槽位。若 Redis 在崩溃时丢了最后一秒的数据，"
        "那些订单还没有行，对账会把名额还回去。",
    ),
    sources=(
        Source(
            "Redis documentation: Scripting with Lua",
            "https://redis.io/docs/latest/develop/programmability/eval-intro/",
        ),
        Source("Redis in Action, chapter 11: Scripting Redis with Lua"),
    ),
)
