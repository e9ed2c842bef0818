import pytest

from apps.accounts import phones

SAME = "+8613800138000"


@pytest.mark.parametrize(
    "typed",
    [
        "13800138000",
        "+8613800138000",
        "+86 138 0013 8000",
        "0086 13800138000",
        " 138-0013-8000 ",
        "(138) 0013.8000",
        "013800138000",
        "\u202a+86 138 0013 8000\u202c",
        "(+86) 138 0013 8000",
        "+86\u00a0138\u20110013\u20118000",
        "＋８６（１３８）００１３－８０００",
        "１３８００１３８０００",
        "١٣٨٠٠١٣٨٠٠٠",
        "13800138000\r\n",
        "8613800138000",
        "+86 (0)138 0013 8000",
    ],
)
def test_one_number_has_one_form(typed: str) -> None:
    assert phones.parse(typed) == SAME


def test_a_number_of_another_country_keeps_its_code() -> None:
    assert phones.parse("+44 7400 123456") == "+447400123456"


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "abc",
        "1" * 100_000,
        "1380013800²",
        "13800138000\x00",
        "+",
        "-13800138000",
        "1e10",
        "12345",
        "tel:13800138000",
        "13800138000;ext=1",
        "13800138000 x1",
        "+999 123456789",
        "010 6552 9988",
        "+881 6 1234 5678",
        "+882 16 612 345 678",
        "+882 13 412 345",
        "+883 5100 1234 5678",
        "+878 10 123 456 789",
        "+44 7012 345678",
        "+44 20 7946 0000",
        "+44 7640 123456",
        "\ud800",
    ],
)
def test_what_is_no_mobile_number_is_refused(typed: str) -> None:
    with pytest.raises(phones.BadPhone):
        phones.parse(typed)


@pytest.mark.parametrize(
    ("phone", "shown"),
    [
        ("+8613800000100", "138****0100"),
        ("+447911123456", "+44 79****3456"),
        ("+99900000012345", "****2345"),
    ],
)
def test_a_page_shows_enough_of_a_number_to_know_it_by(phone: str, shown: str) -> None:
    assert phones.mask(phone) == shown
