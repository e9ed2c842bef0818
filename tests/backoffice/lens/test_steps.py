"""What the panel shows of a command: keys with their declarations, sizes instead of secrets."""

from apps.accounts import keys as accounts
from apps.accounts.sessions import token_cache
from apps.backoffice.lens import store
from apps.monitoring import key_samples
from apps.redis_kit import keys as kit
from apps.shops import keys as shops
from apps.signins import keys as signins


def test_a_key_has_its_declaration() -> None:
    key = shops.DETAIL(shop=7)
    assert store.describe_command(["GET", key])["keys"] == [
        {"text": key, "pattern": "shops:page:<shop>"},
    ]


def test_options_and_numbers_of_open_keys_are_shown() -> None:
    key = signins.LEADERBOARD(day="2026-11-23")
    assert store.describe_command(["ZRANGE", key, "0", "9", "REV", "WITHSCORES"])["words"] == [
        "0",
        "9",
        "REV",
        "WITHSCORES",
    ]
    assert store.describe_command(["ZSCORE", key, "a person's name"])["words"] == ["[15 B]"]


def test_a_code_its_phone_and_limits_by_phone_are_left_out() -> None:
    phone, code = "+8613800000001", "123456"
    stored = store.describe_command(["HSET", accounts.LOGIN_CODE(phone=phone), "code", code])
    hit = store.describe_command(["GET", kit.LIMIT(family="codes", name="minute", subject=phone)])
    told = str([stored, hit, store.describe_command(["PUBLISH", "channel", code])])
    assert phone not in told
    assert code not in told
    assert stored["keys"][0]["text"].endswith(":accounts:code:<phone>")
    assert stored["words"] == ["[4 B]", "[6 B]"]


def test_a_script_has_its_name_and_its_keys() -> None:
    words = ["EVALSHA", token_cache.RESOLVE_TOKEN.sha, "1", accounts.TOKEN(digest="d" * 64), "60"]
    shown = store.describe_command(words)
    assert (shown["script"], shown["keys"][0]["pattern"]) == ("resolve_token", "accounts:token:<digest>")
    assert shown["words"] == ["60"]
    sent = store.describe_command(["EVAL", token_cache.RESOLVE_TOKEN.text, *words[2:]])
    assert (sent["script"], sent["keys"]) == (shown["script"], shown["keys"])


def test_many_keys_are_counted() -> None:
    keys = [shops.DETAIL(shop=number) for number in range(store.MAX_KEYS + 3)]
    shown = store.describe_command(["MGET", *keys])
    assert (len(shown["keys"]), shown["more_keys"]) == (store.MAX_KEYS, 3)


def test_the_name_of_a_session_of_django_is_left_out() -> None:
    raw = "savor:django:1:django.contrib.sessions.cached_dbsecretsecret"
    assert "secret" not in key_samples.show_key(raw).text


def test_a_value_loses_its_phone_numbers_and_its_length() -> None:
    shown = key_samples.show_value("call +8613800000001 or 13800000001, order 138000000011234567" + "x" * 200)
    assert shown.startswith("call <phone> or <phone>, order 138000000011234567x")
    assert shown.endswith("…")
