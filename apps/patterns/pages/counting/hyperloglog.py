"""HyperLogLog: how many different visitors, in 12 KB at most."""

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client
from apps.redis_kit.transport import Arg
from apps.uv import counting, keys, popular

VISITORS, RELOADS, SHOP, SECONDS = 3, 4, 7, 60
MANY = 2_000


def _count_naively(run: Scratch) -> Outcome:
    visits = run.key("string", "visits")
    for _ in range(VISITORS * RELOADS):
        run.do("INCR", visits)
    counted = int(run.do("GET", visits))
    sentence = Text(
        "{visitors} people looked {reloads} times each. “Visitors: {shown}”, says the counter.",
        "{visitors} 个人每人看了 {reloads} 次。计数器说“访客：{shown}”。",
    )
    return Outcome(counted == VISITORS, sentence.fill(visitors=VISITORS, reloads=RELOADS, shown=counted))


def _view(run: Scratch, visitor: str) -> None:
    names = [run.key("hash", "views"), run.key("string", "visitors")]
    names += [run.key("zset", "popular"), run.key("string", "epoch")]
    args: list[Arg] = [SHOP, 1, 100, SECONDS, 3_600, 100, SECONDS, visitor]
    popular.VIEW_OBJECT(client.get(), keys=names, args=args)


def _count_by_sketch(run: Scratch) -> Outcome:
    for visitor in range(VISITORS):
        for _ in range(RELOADS):
            _view(run, f"visitor-{visitor}")
    views = int(run.do("HGET", run.key("hash", "views"), SHOP))
    visitors = run.do("PFCOUNT", run.key("string", "visitors"))
    sentence = Text(
        "{views} page views, {visitors} visitors; who came is stored nowhere.",
        "{views} 次浏览，{visitors} 个访客；谁来过，哪里都没有存。",
    )
    holds = (views, visitors) == (VISITORS * RELOADS, VISITORS)
    return Outcome(holds, sentence.fill(views=views, visitors=visitors))


def _prepare(run: Scratch) -> None:
    names = [f"visitor-{number:08}" for number in range(MANY)]
    run.do("SADD", run.key("set", "exact"), *names)
    run.do("PFADD", run.key("string", "sketch"), *names)


def _naive_round(run: Scratch) -> None:
    len(run.do("SMEMBERS", run.key("set", "exact")))


def _our_round(run: Scratch) -> None:
    run.do("PFCOUNT", run.key("string", "sketch"))


PATTERN = Pattern(
    slug="hyperloglog",
    title=Text("Unique visitors", "独立访客"),
    summary=Text(
        "How many different people, within one per cent, in 12 KB, without knowing who.",
        "多少个不同的人：误差约百分之一，12 KB，且不知道是谁。",
    ),
    problem=Text(
        "Each page shows how many people looked at it, for each day and any range of days, for 20,000 shops. "
        "Nobody wants a list of who looked at what.",
        "每个页面要显示多少人看过，按天、按任意日期范围，两万家店。谁也不想存“谁看了什么”的名单。",
    ),
    naive=Way(
        Text(
            "INCR at each view counts reloads. A set of visitors is exact, but takes megabytes a day and "
            "is a list of who looked at what.",
            "每次浏览 INCR，刷新也算。访客集合虽然准确，但每天要几兆字节，而且就是“谁看了什么”的名单。",
        ),
        _count_naively,
    ),
    ours=Way(
        Text(
            "PFADD keeps only the largest number of leading zeros of the visitors' hashes, in 16,384 "
            "registers. PFCOUNT over several days counts their union: who came on both counts once.",
            "PFADD 只保存访客哈希前导零的最大个数，共 16,384 个寄存器。对几天做 PFCOUNT 得到并集：两天都来"
            "的人只算一次。",
        ),
        _count_by_sketch,
    ),
    scripts=(popular.VIEW_OBJECT,),
    functions=(counting.count_many,),
    keys=(
        LiveKey(keys.VIEWS, Text("page views of a day", "一天的浏览次数")),
        LiveKey(keys.VISITORS, Text("the day's visitors, as registers", "当天访客（寄存器）")),
    ),
    compared=Comparison(
        about=Text(
            "How many of 2,000 visitors: read the set and count, or PFCOUNT.",
            "2,000 个访客的人数：读出集合来数，或用 PFCOUNT。",
        ),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "12 KB at most a day and page, about 200 bytes while few come. The standard error is 0.81 %.",
        "每天每页最多 12 KB，人少时约 200 字节。标准误差 0.81 %。",
    ),
    limits=Text(
        "It can't tell who came, and nobody can be taken out. The union over many days reads 12 KB a day. "
        "For money one counts exactly.",
        "它说不出谁来过，也不能移除某个人。跨很多天的并集每天要读 12 KB。涉及钱就要精确计数。",
    ),
    sources=(
        Source(
            "Flajolet, Fusy, Gandouet, Meunier: HyperLogLog (2007)",
            "https://algo.inria.fr/flajolet/Publications/FlFuGaMe07.pdf",
        ),
        Source(
            "Redis documentation: HyperLogLog",
            "https://redis.io/docs/latest/develop/data-types/probabilistic/hyperloglogs/",
        ),
    ),
)
