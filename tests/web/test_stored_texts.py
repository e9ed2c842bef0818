"""Sentences stored in English are read in the reader's language, with their figures, of any release."""

import pytest
from django.utils import translation
from django.utils.translation import gettext_noop

from apps.web.stored_texts import Template, translate

WAITING = Template(gettext_noop("%(waiting)s waiting, the oldest for %(seconds)s s"))
UNKNOWN = Template("a sentence of %(count)s words without a translation")


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        (WAITING.fill(waiting=3, seconds="0.5"), "3 条在等待，最早的已等 0.5 秒"),
        ("MalformedEntry: version '2' is not '1'", "MalformedEntry: 版本是 '2'，不是 '1'"),
        ("the gateway gave no answer within 5 seconds", "网关出错：5 秒内没有应答"),
        (UNKNOWN.fill(count=3), "a sentence of 3 words without a translation"),
        ("something from a provider, 50 % of it", "something from a provider, 50 % of it"),
        ("", ""),
    ],
)
def test_a_stored_sentence_is_read_in_chinese(stored: str, read: str) -> None:
    with translation.override("zh-hans"):
        assert translate(stored) == read
    with translation.override("en"):
        assert translate(stored) == stored


def test_of_two_templates_that_fit_the_one_that_says_more_counts() -> None:
    Template("partition %(partition)s: %(error)s")
    with translation.override("zh-hans"):
        text = translate("partition 3: the id clock is at 1.2, order 9 is later")
    assert text == "分区 3：编号时钟在 1.2，早于订单 9"


def test_figures_of_any_kind_stay_as_they_are() -> None:
    odd = "100%(x)s \n 店 )(*"
    with translation.override("zh-hans"):
        assert translate(WAITING.fill(waiting=odd, seconds=1)) == f"{odd} 条在等待，最早的已等 1 秒"
