"""Every planted bug still fits the code that it would break."""

import pytest

from lab.mutants.planted import MUTANTS, Mutant
from tests.sites import ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_code_that_a_mutant_changes_is_there_once(mutant: Mutant) -> None:
    assert (ROOT / mutant.path).read_text().count(mutant.old) == 1
    assert mutant.old != mutant.new
    assert all((ROOT / name).exists() for name in mutant.tests)


def test_there_are_forty() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
