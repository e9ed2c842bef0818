"""Codes as people type them: any case, spaces and dashes, letters that look like digits, old codes."""

import pytest

from apps.coupons.orders import redeem_codes

CODE, OLD_CODE = "7K01XMW4TBD1", "Qm9zcG9-dXM_MTIz"


@pytest.mark.parametrize(
    "typed",
    [
        "7K01XMW4TBD1",
        "7k01 xmw4 tbd1",
        " 7K01-xmw4\u2014TBD1\n",
        "7koixmw4tbdL",
        "\uff17\uff2b\uff10\uff11\u3000XMW4 TBD1",
        "https://savor.example/admin/redeem/?code=7K01XMW4TBD1",
    ],
    ids=["plain", "groups", "dashes", "look-alikes", "wide", "link"],
)
def test_a_code_is_read_however_it_is_typed(typed: str) -> None:
    assert CODE in redeem_codes.parse(typed)


def test_case_and_dashes_of_an_old_code_count() -> None:
    assert redeem_codes.parse(f" {OLD_CODE}\n") == [OLD_CODE]
    assert redeem_codes.parse(OLD_CODE.lower()) == [OLD_CODE.lower()]


@pytest.mark.parametrize(
    "typed", ["", " ", "\0", "7K01 XMW4 TBD\0", "7U01 XMW4 TBD1 U", "\U0001f600", "-" * 30]
)
def test_what_is_no_code_means_none(typed: str) -> None:
    assert redeem_codes.parse(typed) == []


def test_a_code_is_read_in_groups_of_four_and_an_old_one_as_it_is() -> None:
    assert redeem_codes.spell(CODE) == "7K01 XMW4 TBD1"
    assert redeem_codes.spell(OLD_CODE) == OLD_CODE
    assert CODE in redeem_codes.parse(redeem_codes.spell(CODE))
