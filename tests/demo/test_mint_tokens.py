import json
import stat
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from apps.accounts import phones
from apps.accounts.models import User
from apps.accounts.sessions import tokens
from apps.demo import load_test_users
from apps.search.index import rebuilding as search_index
from apps.search.suggest import indexing as names_index

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def demo(settings: Settings) -> None:
    settings.DEMO = True


def mint(users: int, out: str) -> list[str]:
    printed = StringIO()
    call_command("mint_tokens", users=users, out=out, verbosity=0, stdout=printed)
    return (printed.getvalue() if out == "-" else Path(out).read_text()).splitlines()


@pytest.mark.both_databases
def test_each_line_logs_one_person_in() -> None:
    logins = [tokens.resolve(token) for token in mint(3, "-")]
    assert len({login.user_id for login in logins if login}) == 3


def test_a_second_run_takes_the_same_people() -> None:
    first = mint(2, "-")
    second = mint(3, "-")
    assert User.objects.filter(phone__startswith=load_test_users.COUNTRY_CODE).count() == 3
    assert [tokens.resolve(token) for token in second[:2]] != [tokens.resolve(token) for token in first]
    people = [login.user_id for token in first + second[:2] if (login := tokens.resolve(token))]
    assert people[:2] == people[2:]


@pytest.mark.django_db(transaction=True)
def test_reconcile_finds_nothing_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither of new people and a new administrator, with both indexes whole, nor of people used again."""
    search_index.rebuild(lambda _done, _total: None)
    names_index.rebuild(lambda _done, _total: None)
    call_command("createsuperuser", interactive=False, phone="+8613800000009", verbosity=0)
    mint(3, "-")
    mint(4, "-")
    call_command("reconcile", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["clean"], report["left"]) == (True, [])


def test_nobody_can_log_in_with_such_a_phone() -> None:
    with pytest.raises(phones.BadPhone):
        phones.parse(load_test_users.phone_of_number(1))


@pytest.mark.both_databases
def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    out = tmp_path / "tokens"
    out.write_text("an older and longer content\n" * 10)
    out.chmod(0o644)
    assert len(mint(2, str(out))) == 2
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_it_refuses_beside_real_people(settings: Settings, tmp_path: Path) -> None:
    settings.DEMO = False
    with pytest.raises(CommandError, match="DEMO=1"):
        mint(2, str(tmp_path / "tokens"))
    assert not User.objects.exists()


def test_a_place_that_cannot_be_written_is_a_sentence() -> None:
    with pytest.raises(CommandError, match="can't write /nowhere/tokens: No such file"):
        mint(2, "/nowhere/tokens")


@pytest.mark.parametrize("users", [0, -1, load_test_users.MAX_USERS + 1])
def test_a_number_that_cannot_be_is_a_sentence(users: int) -> None:
    with pytest.raises(CommandError, match="--users takes"):
        mint(users, "-")
