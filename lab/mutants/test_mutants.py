"""Every planted bug still fits the code that it would break."""

from collections.abc import Iterator

from lab.mutants.planted import MUTANTS, Mutant
from tests.sites import ROOT


def test_the_code_that_a_mutant_changes_is_there_once() -> None:
    wrong = [f"{mutant.name}: {one}" for mutant in MUTANTS for one in complain(mutant)]
    assert not wrong, "\n".join(wrong)


def complain(mutant: Mutant) -> Iterator[str]:
    """Why a mutant doesn't fit the code."""
    times = (ROOT / mutant.path).read_text().count(mutant.old)
    if times != 1:
        yield f"{mutant.path} has its code {times} times"
    if mutant.old == mutant.new:
        yield "changes nothing"
    yield from (f"no {name}" for name in mutant.tests if not (ROOT / name).exists())


def test_there_are_forty() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
