"""docs/effects.md names everything that runs after a commit: what remembers it, and who does it again."""

import ast
import re

from apps.queues.owed import EFFECTS
from tests.checks.sources import ROOT

#: What calls effects of others, and the words for it.
MECHANISM = ("queues/owed.py", "web/on_commit.py")
HOOKS = {"on_commit", "run_after_commit"}
#: A line of a table: the effect, who owes it, what remembers it, who repeats it.
LINE = re.compile(r"^\| `([\w.]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def find_effects() -> set[tuple[str, str]]:
    """(effect, file that owes it) of each call in the apps; an effect is the last name of what is called."""
    found = set()
    for path in sorted((ROOT / "apps").rglob("*.py")):
        name = str(path.relative_to(ROOT / "apps"))
        if name in MECHANISM:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _last_name(node.func) in HOOKS and node.args:
                found.add((_effect_name(node.args[0]), name))
    return found


def _effect_name(act: ast.expr) -> str:
    """`load` of load, loading.load, partial(load, 7), and of lambda: load(7)."""
    if isinstance(act, ast.Lambda):
        return _effect_name(act.body)
    if isinstance(act, ast.Call):
        return _effect_name(act.args[0]) if _last_name(act.func) == "partial" else _last_name(act.func)
    return _last_name(act)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def read_table() -> dict[str, set[str]]:
    """{effect: the files that owe it} of the document."""
    table: dict[str, set[str]] = {}
    for effect, files, _remembered, _repeated in LINE.findall((ROOT / "docs" / "effects.md").read_text()):
        named = set(re.findall(r"`([\w/]+\.py)`", files))
        table[effect] = table.get(effect, set()) | named
    return table


def test_the_table_names_each_effect_and_who_owes_it() -> None:
    named = {(effect.rpartition(".")[2], path) for effect, files in read_table().items() for path in files}
    found = find_effects()
    assert found - named == set(), "add a line to docs/effects.md: what remembers it, who does it again"
    assert named - found == set(), "nobody owes these any more"


def test_the_table_says_which_effects_are_rows() -> None:
    text = (ROOT / "docs" / "effects.md").read_text()
    rows = {line[0] for line in LINE.findall(text.partition("## Marks")[0])}
    registered = {".".join(name.split(".")[-2:]) for name, _effect in EFFECTS.items()}
    assert registered - rows == set(), "these are registered, and in no line"
    assert rows - registered == set(), "these are no registered effects"


def test_each_line_says_what_remembers_and_who_repeats() -> None:
    for effect, _files, remembered, repeated in LINE.findall((ROOT / "docs" / "effects.md").read_text()):
        assert all((remembered.strip(), repeated.strip())), effect
