"""Popular now: visits that lose half their weight every six hours, without touching them again."""

import time

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client
from apps.redis_kit.transport import Arg
from apps.uv import keys, popular

OLD_SHOP, NEW_SHOP, OLD_VISITS, NEW_VISITS = 1, 2, 100, 5
DAY_SECONDS, SECONDS = 86_400, 60
HALF_LIFE_SECONDS = popular.HALF_LIFE.total_seconds()


def _rank_naively(run: Scratch) -> Outcome:
    ranking = run.key("zset", "ranking")
    # Two days ago one shop had a hundred visits; now another has five.
    run.do("ZINCRBY", ranking, OLD_VISITS, OLD_SHOP)
    for _ in range(NEW_VISITS):
        run.do("ZINCRBY", ranking, 1, NEW_SHOP)
    (first,) = run.do("ZREVRANGE", ranking, 0, 0)
    sentence = Text(
        "First is shop {first}, which nobody has visited for two days.",
        "第一名是 {first} 号店，两天没人去过了。",
    )
    return Outcome(int(first) == NEW_SHOP, sentence.fill(first=first))


def _view(run: Scratch, visitor: str) -> None:
    names = [run.key("hash", "views"), run.key("string", "visitors")]
    names += [run.key("zset", "popular"), run.key("string", "epoch")]
    args: list[Arg] = [NEW_SHOP, 1, 10_000, SECONDS, HALF_LIFE_SECONDS, 100, SECONDS, visitor]
    popular.VIEW_OBJECT(client.get(), keys=names, args=args)


def _start_two_days_ago(run: Scratch) -> None:
    """A ranking whose visits of two days ago weigh 1 each."""
    run.do("ZADD", run.key("zset", "popular"), OLD_VISITS, OLD_SHOP)
    run.do("SET", run.key("string", "epoch"), time.time() - 2 * DAY_SECONDS)


def _rank_with_decay(run: Scratch) -> Outcome:
    _start_two_days_ago(run)
    for number in range(NEW_VISITS):
        _view(run, f"visitor-{number}")
    flat = run.do("ZREVRANGE", run.key("zset", "popular"), 0, -1, "WITHSCORES")
    sentence = Text(
        "First is shop {first}: a visit now weighs as much as {times} of two days ago.",
        "第一名是 {first} 号店：现在的一次相当于两天前的 {times} 次。",
    )
    times = round(float(flat[1]) / NEW_VISITS)
    return Outcome(int(flat[0]) == NEW_SHOP, sentence.fill(first=flat[0], times=times))


def _naive_round(run: Scratch) -> None:
    run.do("ZINCRBY", run.key("zset", "ranking"), 1, NEW_SHOP)


def _our_round(run: Scratch) -> None:
    _view(run, f"visitor-{run.next_number()}")


PATTERN = Pattern(
    slug="popular-now",
    title=Text("Popular now", "现在的热门"),
    summary=Text(
        "Old visits fade without anybody touching them: new ones simply weigh more.",
        "旧的访问会自己变淡，不用去动它们：新的访问只是更重。",
    ),
    problem=Text(
        "The home page shows what people look at these hours. What was popular last week must sink by "
        "itself, and nobody wants a job that rewrites every score each minute.",
        "首页显示这几个小时大家在看什么。上周的热门应当自己下沉，谁也不想每分钟重写所有分数。",
    ),
    naive=Way(
        Text(
            "ZINCRBY 1 at each visit. What was popular once stays on top for ever; a job that halves all "
            "scores makes Redis rewrite the whole set and punishes what came just before it.",
            "每次访问 ZINCRBY 1。曾经的热门永远在上面；定时把分数减半的任务要重写整个集合，还会亏待刚来的。",
        ),
        _rank_naively,
    ),
    ours=Way(
        Text(
            "Forward decay: a visit at time t adds 2^((t - epoch) / half-life) once. All visits age alike, "
            "so the order needs no update. Each visitor counts once a day; before numbers grow too large "
            "the script moves the epoch.",
            "前向衰减：时刻 t 的访问只加一次 2^((t - 起点) / 半衰期)。所有访问一同变旧，顺序无需更新。"
            "每个访客每天算一次；数字太大之前脚本会移动起点。",
        ),
        _rank_with_decay,
    ),
    scripts=(popular.VIEW_OBJECT,),
    functions=(popular.view_call, popular.top_ids),
    keys=(
        LiveKey(keys.POPULAR, Text("what is visited most now", "现在访问最多的"), is_public=True),
        LiveKey(
            keys.POPULAR_EPOCH,
            Text("the second at which a visit weighs 1", "访问权重为 1 的那一秒"),
            is_public=True,
        ),
    ),
    compared=Comparison(
        about=Text(
            "One visit. Ours also counts the view and asks the HyperLogLog whether the visitor is new.",
            "一次访问。我们的做法还记录浏览，并问 HyperLogLog 访客是否新来。",
        ),
        naive=_naive_round,
        ours=_our_round,
        prepare=_start_two_days_ago,
    ),
    costs=Text(
        "One call a visit, in the background; at most 1,000 objects a ranking.",
        "每次访问一次调用，在后台；每个榜最多 1,000 个对象。",
    ),
    limits=Text(
        "One half-life for all: a ranking of the day and one of the month are two keys. Doubles keep the "
        "order of visits that are at most some 50 half-lives apart.",
        "所有对象同一个半衰期：日榜与月榜是两个键。双精度数能分清相差约 50 个半衰期以内的访问。",
    ),
    sources=(
        Source("Cormode, Shkapenyuk, Srivastava, Xu: Forward Decay (ICDE 2009)"),
        Source("Redis in Action, chapter 2.5: Web page analytics"),
    ),
)
