"""Ids that are unique over all processes, rise with time, and don't reveal how many there are."""

from apps.coupons import keys as coupon_keys
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import ids
from apps.redis_kit import keys as kit_keys

COUNT = 10


def _make_naively(run: Scratch) -> Outcome:
    newest = run.key("string", "newest")
    run.do("SET", newest, 41)
    # Two web processes read the newest id before either writes its own.
    first, second = (int(run.do("GET", newest)) + 1 for _ in range(2))
    for number in (first, second):
        run.do("SET", newest, number)
    sentence = Text(
        "Both orders got the id {first}. And whoever buys today and tomorrow can count the orders between.",
        "两个订单都得到编号 {first}。而且今天和明天各买一次的人，就能算出中间有多少订单。",
    )
    return Outcome(first != second, sentence.fill(first=first))


def _noun(run: Scratch) -> str:
    noun = run.name("order")
    run.own(kit_keys.ID_CLOCK(noun=noun))
    return noun


def _make_by_script(run: Scratch) -> Outcome:
    noun = _noun(run)
    made = [*ids.next_ids(noun, COUNT), ids.next_id(noun)]
    second, counter = ids.decompose(made[-1])
    sentence = Text(
        "{count} ids in two round trips, all different and rising. The last: second {second} << 32 | counter "
        "{counter} = {id}.",
        "两个往返得到 {count} 个编号，各不相同且递增。最后一个：第 {second} 秒 << 32 | 计数 {counter} = "
        "{id}。",
    )
    holds = sorted(set(made)) == made
    return Outcome(holds, sentence.fill(count=len(made), second=second, counter=counter, id=made[-1]))


def _naive_round(run: Scratch) -> None:
    newest = run.key("string", "counter")
    number = int(run.do("GET", newest) or 0) + 1
    run.do("SET", newest, number)


def _our_round(run: Scratch) -> None:
    ids.next_id(_noun(run))


PATTERN = Pattern(
    slug="ids",
    title=Text("Unique ids", "全局唯一编号"),
    summary=Text(
        "64 bits from a second and a counter, made in one place for all processes.",
        "由秒和计数器组成的 64 位编号，为所有进程在一处生成。",
    ),
    problem=Text(
        "Orders are accepted before they have a row, by many processes. Each needs an id at once that no "
        "other order has, that sorts by time, and that does not show how much is sold.",
        "订单在写入数据库之前就被许多进程接受。每个订单立刻需要一个编号：不与别人相同、按时间排序、"
        "也不暴露销量。",
    ),
    naive=Way(
        Text(
            "Read the largest id, add one, write it back. Two processes that read together make the same id. "
            "The database's own counter is right, but needs a row first and counts aloud.",
            "读最大编号，加一，写回。两个进程同时读，就得到同一个编号。数据库的自增是对的，"
            "但要先有行，而且会公开数量。",
        ),
        _make_naively,
    ),
    ours=Way(
        Text(
            "reserve_ids.lua takes the server's second, never letting it go back, and adds to a counter of "
            "the day. One call can reserve many ids.",
            "reserve_ids.lua 取服务器的秒数，绝不倒退，并累加当天的计数器。一次调用可以预留许多编号。",
        ),
        _make_by_script,
    ),
    scripts=(ids.NEXT_IDS,),
    functions=(ids.next_ids, ids.compose),
    keys=(
        LiveKey(
            coupon_keys.ID_CLOCK,
            Text("second and counter of orders", "订单的秒与计数"),
        ),
        LiveKey(
            kit_keys.ID_CLOCK,
            Text("second and counter of another noun", "其他名词的秒与计数"),
        ),
    ),
    compared=Comparison(
        about=Text("One new id: GET and SET, or the script.", "一个新编号：GET 加 SET，或调用脚本。"),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "One round trip for any number of ids, and one small hash a noun.",
        "任意数量的编号一个往返，每个名词一个小哈希。",
    ),
    limits=Text(
        "2^32 ids a day. Ids pass 2^53: JSON carries them as text, and Lua never as a number. If Redis "
        "loses the clock and its own clock goes back, a unique constraint in SQL is the last word.",
        "每天 2^32 个。编号超过 2^53：JSON 里用文本，Lua 里绝不当数字。若 Redis 丢了时钟且系统时间倒退，"
        "最后由 SQL 的唯一约束把关。",
    ),
    sources=(
        Source(
            "Twitter: Announcing Snowflake (2010)",
            "https://blog.x.com/engineering/en_us/a/2010/announcing-snowflake",
        ),
    ),
)
