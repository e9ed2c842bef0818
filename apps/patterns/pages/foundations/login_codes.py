"""Log-in codes: compare, count and use up in one step."""

from apps.accounts import codes, keys
from apps.accounts.codes import CheckResult
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client

MAX_CHECKS, TTL_MS = 5, 60_000
RIGHT, WRONG = "mac-of-123456", "mac-of-000000"


def _check_naively(run: Scratch) -> Outcome:
    code = run.key("string", "code")
    run.do("SET", code, "123456", "PX", TTL_MS)
    # The same code arrives twice at once: both compare before either deletes.
    matched = [run.do("GET", code) == "123456" for _ in range(2)]
    for _ in filter(None, matched):
        run.do("DEL", code)
    sentence = Text(
        "One code opened {count} sessions, and wrong guesses were never counted.",
        "一个验证码开了 {count} 个会话，而且猜错从不计数。",
    )
    return Outcome(sum(matched) == 1, sentence.fill(count=sum(matched)))


def _store(run: Scratch) -> str:
    code = run.key("hash", "code")
    codes.STORE_CODE(client.get(), keys=[code], args=[RIGHT, TTL_MS])
    return code


def _check(code: str, mac: str) -> CheckResult:
    return codes.CHECK_CODE(client.get(), keys=[code], args=[mac, MAX_CHECKS, 1])


def _check_by_script(run: Scratch) -> Outcome:
    code = _store(run)
    twice = [_check(code, RIGHT) for _ in range(2)]
    _store(run)
    guesses = [_check(code, WRONG) for _ in range(MAX_CHECKS)]
    too_late = _check(code, RIGHT)
    sentence = Text(
        "The code worked once, the second use found none. After {guesses} wrong guesses even the right "
        "code is refused.",
        "验证码只生效一次，第二次已不存在。猜错 {guesses} 次后，正确的验证码也被拒绝。",
    )
    holds = twice == [CheckResult.RIGHT, CheckResult.NO_CODE] and too_late is CheckResult.NO_CODE
    return Outcome(holds and set(guesses) == {CheckResult.WRONG}, sentence.fill(guesses=MAX_CHECKS))


def _naive_round(run: Scratch) -> None:
    code = run.key("string", "code")
    run.do("SET", code, "123456", "PX", TTL_MS)
    if run.do("GET", code) == "123456":
        run.do("DEL", code)


def _our_round(run: Scratch) -> None:
    _check(_store(run), RIGHT)


PATTERN = Pattern(
    slug="login-codes",
    title=Text("Codes that work once", "只能用一次的验证码"),
    summary=Text(
        "Compare and delete in one step, and count the guesses.",
        "比较与删除一步完成，并给猜测计数。",
    ),
    problem=Text(
        "A six-digit code is sent to a phone. It may open one session, for two minutes, and a program may "
        "not try all million codes.",
        "六位验证码发到手机上。两分钟内它只能打开一个会话，程序也不能把一百万个都试一遍。",
    ),
    naive=Way(
        Text(
            "GET the code, compare it in the application, DEL it. Two requests at once both compare before "
            "the DEL. The code lies in Redis as plain text, and guesses cost nothing.",
            "GET 验证码，在应用里比较，再 DEL。两个请求同时到，都在 DEL 之前比较成功。"
            "验证码以明文放在 Redis 里，猜测没有代价。",
        ),
        _check_naively,
    ),
    ours=Way(
        Text(
            "check_code.lua compares, deletes a right code and counts a wrong one, in one call. Redis "
            "holds a keyed hash, so who reads Redis learns no code.",
            "check_code.lua 在一次调用里比较、删除正确的、给错误的计数。Redis 里只有带密钥的哈希，"
            "读到 Redis 的人也得不到验证码。",
        ),
        _check_by_script,
    ),
    scripts=(codes.CHECK_CODE, codes.STORE_CODE),
    functions=(codes.check, codes.compare_with_stored),
    keys=(LiveKey(keys.LOGIN_CODE, Text("hash of a code, and guesses so far", "验证码的哈希与已猜次数")),),
    compared=Comparison(
        about=Text("A code stored and used up.", "存一个验证码并用掉。"),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "One round trip a check; about 150 bytes a code.", "每次检查一个往返；每个验证码约 150 字节。"
    ),
    limits=Text(
        "Five guesses a code are little, and they are only for who asked for the code: a stranger's guesses "
        "are for codes of their own. How many codes a phone may ask for is the rate limit's matter. Without "
        "Redis nobody can log in by code, and open sessions go on.",
        "每个验证码只许猜五次，而且只有索取它的一方能猜：别人既猜不到，也耗不掉它。一个手机号能要几个，"
        "由限流负责。没有 Redis 时不能用验证码登录，已有的会话继续有效。",
    ),
    sources=(
        Source(
            "NIST SP 800-63B, section 5.1.3: out-of-band devices",
            "https://pages.nist.gov/800-63-3/sp800-63b.html",
        ),
    ),
)
