"""Hours as people write them: read as a whole, or not at all."""

from random import Random

import pytest

from apps.shops import hours, hours_text

READ = {
    "Mo-Sa 00:00-24:00": "Mo-Sa 00:00-24:00; Su off",
    "Tu 00:00-24:00": "Mo,We-Su off; Tu 00:00-24:00",
    "周日休息 09:00～21：00": "Mo-Sa 09:00-21:00; Su off",
    "周一至周六 09：00—21：00": "Mo-Sa 09:00-21:00; Su off",
    "营业时间：10:00-22:00（周一休息）": "Mo off; Tu-Su 10:00-22:00",
    "星期一到星期五：上午9:00-下午6:00；周六：10:00－16:00": "Mo-Fr 09:00-18:00; Sa 10:00-16:00; Su off",
    "周一至五 9:00-18:00": "Mo-Fr 09:00-18:00; Sa-Su off",
    "周一、三、五 9:00至18:00": "Mo,We,Fr 09:00-18:00; Tu,Th,Sa-Su off",
    "工作日 9点-18点半": "Mo-Fr 09:00-18:30; Sa-Su off",
    "周末 10:00-20:00": "Mo-Fr off; Sa-Su 10:00-20:00",
    "每天 10:00-22:00": "Mo-Su 10:00-22:00",
    "24小时营业": "Mo-Su 00:00-24:00",
    "24/7": "Mo-Su 00:00-24:00",
    "全天": "Mo-Su 00:00-24:00",
    "Open 24 hours": "Mo-Su 00:00-24:00",
    "00:00-00:00": "Mo-Su 00:00-24:00",
    "晚上10点-凌晨2点": "Mo-Su 22:00-26:00",
    "22:00-02:00": "Mo-Su 22:00-26:00",
    "18:00-26:00": "Mo-Su 18:00-26:00",
    "18:00–00:00": "Mo-Su 18:00-24:00",
    "9:00 AM - 10 PM": "Mo-Su 09:00-22:00",
    "12:00 am–12 p.m.": "Mo-Su 00:00-12:00",
    "9.00-18.30": "Mo-Su 09:00-18:30",
    "09h00-18h30": "Mo-Su 09:00-18:30",
    "11:00–14:00, 17:00–21:30": "Mo-Su 11:00-14:00,17:00-21:30",
    "11:00–14:00、17:00–21:30": "Mo-Su 11:00-14:00,17:00-21:30",
    "Monday to Friday 9 a.m. to 5 p.m.": "Mo-Fr 09:00-17:00; Sa-Su off",
    "9am-5pm Mon-Fri": "Mo-Fr 09:00-17:00; Sa-Su off",
    "10:00-22:00, closed on Mondays": "Mo off; Tu-Su 10:00-22:00",
    "10:00-22:00, Sun 12:00-18:00": "Mo-Sa 10:00-22:00; Su 12:00-18:00",
    "Su-Th 17:00-01:00; Fr,Sa 17:00-03:00": "Mo-Th,Su 17:00-25:00; Fr-Sa 17:00-27:00",
    "Mo-Fr 10:00-18:00; We 10:00-20:00": "Mo-Tu,Th-Fr 10:00-18:00; We 10:00-20:00; Sa-Su off",
    "Mo 09:00-12:00, Mo 14:00-18:00": "Mo 09:00-12:00,14:00-18:00; Tu-Su off",
    "Mo-Fr 09:00-12:00,13:00-18:00; Sa 10:00-14:00; PH off":
        "Mo-Fr 09:00-12:00,13:00-18:00; Sa 10:00-14:00; Su off; PH off",
    "Mo-Su,PH 10:00-20:00": "Mo-Su 10:00-20:00; PH 10:00-20:00",
    "每日10:00-20:00，节假日休息": "Mo-Su 10:00-20:00; PH off",
    "Mo-Su 10:00-20:00; 2027 Jan 01 12:00-16:00; 2027-02-05 - 2027-02-12 off":
        "Mo-Su 10:00-20:00; 2027-01-01 12:00-16:00; 2027-02-05..2027-02-12 off",
    "10:00-20:00；2027年1月1日 12:00-16:00": "Mo-Su 10:00-20:00; 2027-01-01 12:00-16:00",
    "closed": "Mo-Su off",
}  # fmt: skip
NOT_UNDERSTOOD = (
    "", "by appointment", "周日休息", "Mo off", "10:00–22:00、周日看心情", "除周一外 10:00-22:00",
    "10:00+", "10:00", 'Mo-Fr 09:00-18:00 || "call"', "sunrise-sunset", "week 1-10 Mo 10:00-12:00",
    "Mo[1] 10:00-12:00", "0900-1800", "周一休息，其余 10:00-20:00", "9:00-5:00", "9-5", "10:00-10:00",
    "We open 10:00-22:00", "9:00-5:00 pm", "下午2:00-5:00", "2027-01-01 12:00-16:00",
    "Jan-Mar 10:00-12:00", "SH Mo 10:00-12:00", "10:00-22:00 usually", "18:00-47:00", "Mo-Fr",
    "Mo- 10:00-12:00", "10:00-12:00-14:00", "no idea", "一 10:00-12:00", "x" * 700,
)  # fmt: skip
IMPOSSIBLE = (
    *("99:00-12:00", "Mo 10:00-99:00", "25:00-26:00", "12:60-13:00", "10:00-22:61"),
    "10:00-20:00; 2027-02-30 off",
)


@pytest.mark.parametrize(("text", "schedule"), READ.items())
def test_hours_are_read_in_both_languages(text: str, schedule: str) -> None:
    found = hours_text.read(text)
    assert found
    assert hours.dump(found) == schedule


@pytest.mark.parametrize("text", NOT_UNDERSTOOD)
def test_what_is_not_wholly_understood_is_unknown(text: str) -> None:
    assert hours_text.read(text) is None


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_a_time_that_no_clock_shows_is_refused(text: str) -> None:
    with pytest.raises(hours_text.ImpossibleTime):
        hours_text.read(text)
    assert hours_text.read_all([text]) is None


def test_a_word_more_makes_hours_unknown_and_never_open() -> None:
    """No single strange word anywhere in known hours is passed over."""
    draw = Random(3)
    for text in READ:
        parts = text.split(" ")
        for word in ("maybe", "看心情", "§", "sunset", "ab 18"):
            at = draw.randint(0, len(parts))
            found = hours_text.read(" ".join([*parts[:at], word, *parts[at:]]))
            assert found is None, (text, word, at)


def test_any_text_is_answered() -> None:
    """Pieces of hours in any order are read or not, without another error."""
    draw = Random(5)
    pieces = " ".join(READ).replace(";", " ; ").split(" ")
    for _ in range(5_000):
        text = " ".join(draw.sample(pieces, k=draw.randint(1, 6)))
        try:
            found = hours_text.read(text)
        except hours_text.ImpossibleTime:
            continue
        assert found is None or hours.load(hours.dump(found)) == found
