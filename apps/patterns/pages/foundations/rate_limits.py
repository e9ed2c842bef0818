"""Rate limits: an exact sliding window instead of a counter a minute."""

from datetime import timedelta

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import keys as kit_keys
from apps.redis_kit import limiter
from apps.redis_kit.limiter import Limit

ALLOWED, ATTEMPTS = 5, 10
MINUTE = timedelta(minutes=1)


def _count_naively(run: Scratch) -> Outcome:
    # Five requests at 12:00:59 and five at 12:01:00: two counters, two seconds.
    passed = 0
    for minute in ("12-00", "12-01"):
        counter = run.key("string", f"hits-{minute}")
        for _ in range(ALLOWED):
            passed += run.do("INCR", counter) <= ALLOWED
            run.do("EXPIRE", counter, 60)
    sentence = Text(
        "Allowed are {allowed} a minute. {passed} passed within two seconds around the full minute.",
        "规定每分钟 {allowed} 次。整分前后的两秒里通过了 {passed} 次。",
    )
    return Outcome(passed <= ALLOWED, sentence.fill(allowed=ALLOWED, passed=passed))


def _limit(run: Scratch, allowed: int = ALLOWED) -> Limit:
    limit = Limit(name="try", family=run.name("limit"), allowed=allowed, period=MINUTE)
    run.own(limiter.build_key(limit, "alice"))
    return limit


def _count_in_a_window(run: Scratch) -> Outcome:
    limit = _limit(run)
    verdicts = [limiter.hit([(limit, "alice")]) for _ in range(ATTEMPTS)]
    passed = sum(verdict.allowed for verdict in verdicts)
    sentence = Text(
        "{attempts} attempts at once: {passed} passed, the others were told to come back in {seconds} s.",
        "同时 {attempts} 次尝试：通过 {passed} 次，其余的被告知 {seconds} 秒后再来。",
    )
    seconds = verdicts[-1].retry_after
    filled = sentence.fill(attempts=ATTEMPTS, passed=passed, seconds=seconds)
    return Outcome(passed == ALLOWED and seconds > 0, filled)


def _naive_round(run: Scratch) -> None:
    counter = run.key("string", "hits")
    run.do("INCR", counter)
    run.do("EXPIRE", counter, 60)


def _our_round(run: Scratch) -> None:
    limiter.hit([(_limit(run), "alice")])


PATTERN = Pattern(
    slug="rate-limits",
    title=Text("Rate limits in a sliding window", "滑动窗口限流"),
    summary=Text(
        "At most so many in any minute, not in each minute of the clock.",
        "任意一分钟内最多这么多次，而不是钟面上的每一分钟。",
    ),
    problem=Text(
        "A phone may ask for five log-in codes an hour, an address for a few more. Programs try at the "
        "limit's edge, from many processes at once, and honest people want to know when they may come back.",
        "一个手机号每小时可以要五个登录码，一个地址可以多一些。程序会卡着边界、从许多进程同时尝试，"
        "而正常用户想知道什么时候可以再来。",
    ),
    naive=Way(
        Text(
            "INCR a counter a minute, EXPIRE it. At the turn of the minute a new counter begins, so twice "
            "as many pass. A process that dies between INCR and EXPIRE leaves a counter that never ends.",
            "每分钟一个计数器，INCR 后 EXPIRE。分钟一换，新计数器从零开始，于是通过两倍。"
            "进程若死在 INCR 和 EXPIRE 之间，会留下永不过期的计数器。",
        ),
        _count_naively,
    ),
    ours=Way(
        Text(
            "hit_limits.lua keeps the microseconds of the newest hits in one string, never more than are "
            "allowed. Several limits are charged together or not at all; a refused attempt costs nothing "
            "and learns how long to wait.",
            "hit_limits.lua 用一个字符串保存最近几次的微秒时刻，不超过允许的次数。多个限制要么一起计数，"
            "要么都不计；被拒绝的尝试不花额度，并得知要等多久。",
        ),
        _count_in_a_window,
    ),
    scripts=(limiter.HIT,),
    functions=(limiter.hit,),
    keys=(LiveKey(kit_keys.LIMIT, Text("moments of one subject's newest hits", "一个对象最近几次的时刻")),),
    compared=Comparison(
        about=Text(
            "One attempt at a limit: INCR and EXPIRE, or the script.",
            "一次限流检查：INCR 加 EXPIRE，或调用脚本。",
        ),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "One round trip for all limits of a request. 16 bytes a hit within the period, so a limit of 60 a "
        "minute takes about 1 KB for a busy subject.",
        "一个请求的所有限制共用一个往返。周期内每次占 16 字节，所以每分钟 60 次的限制对活跃对象约占 1 KB。",
    ),
    limits=Text(
        "Not for limits of many thousands: the string would grow. When Redis is away each caller decides: "
        "the site lets pages through and refuses log-in codes.",
        "不适合上万次的限制：字符串会变长。Redis 不在时由调用者决定：本站放行页面，拒发登录码。",
    ),
    sources=(
        Source(
            "Redis documentation: INCR, pattern rate limiter",
            "https://redis.io/docs/latest/commands/incr/#pattern-rate-limiter",
        ),
        Source(
            "RFC 9110, section 10.2.3: Retry-After",
            "https://www.rfc-editor.org/rfc/rfc9110#field.retry-after",
        ),
    ),
)
