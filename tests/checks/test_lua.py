"""A script's header and its body say the same; what a machine doesn't compare drifts apart."""

import re
from pathlib import Path

import pytest

from tests.checks import sources

SCRIPTS = sources.files("*.lua", "apps")
TYPES = "string|hash|list|set|zset|stream"
DECLARED = re.compile(rf"^-- (KEYS|ARGV)\[(\d+)(\.\.)?\] (?:({TYPES})\b)?.*", re.MULTILINE)
CALL = re.compile(r'redis\.p?call\(\s*"(\w+)"\s*,\s*([^,()]+)')
#: Their first argument is a word of the command or a channel, not a key.
CONTAINERS = {"XGROUP", "XINFO", "OBJECT", "MEMORY", "PUBSUB", "PUBLISH", "INFO"}

pytestmark = pytest.mark.parametrize("path", SCRIPTS, ids=sources.display_path)


def halves(path: Path) -> tuple[str, str]:
    """The comment lines that open a script, and the code after them."""
    lines = path.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if not line.startswith("--"))
    code = [line.partition("--")[0] for line in lines[first:]]
    return "\n".join(lines[:first]), "\n".join(code)


def test_header_and_body_name_the_same_arguments(path: Path) -> None:
    header, body = halves(path)
    for array in ("KEYS", "ARGV"):
        said = [match for match in DECLARED.findall(header) if match[0] == array]
        numbers = [int(number) for _, number, _, _ in said]
        assert numbers == list(range(1, len(numbers) + 1)), f"{array} in the header: {numbers}"
        used = {int(number) for number in re.findall(rf"{array}\[(\d+)\]", body)}
        # "ARGV[3..]" stands for ARGV[3] and all after it, named one by one or walked.
        open_from = next((int(number) for _, number, dots, _ in said if dots), None)
        unsaid = {number for number in used - set(numbers) if open_from is None or number < open_from}
        assert not unsaid, f"{array} without a line in the header: {unsaid}"
        # "local sale, stock = unpack(KEYS, ...)" names them all by their place.
        named = re.search(rf"local \w+(, \w+)+ = unpack\({array}, ", body)
        assert named or set(numbers) - used <= {open_from}, f"{array} of the header that no line uses"
        walked = re.search(rf"#{array}|\({array}[,)]|{array}\[[^\]]*[a-z]", body)
        assert open_from in used | {None} or walked, f"{array}[{open_from}..] is never walked"


def test_header_says_purpose_types_and_answer(path: Path) -> None:
    header, _ = halves(path)
    assert re.match(r"-- [A-Z].*[.:]$", header.splitlines()[0]), "the first line is a sentence of purpose"
    assert re.search(r"^-- Returns? \S", header, re.MULTILINE), 'the header says "Returns …"'
    untyped = [number for array, number, _, kind in DECLARED.findall(header) if array == "KEYS" and not kind]
    assert not untyped, f"KEYS{untyped} have no type"


def test_no_key_is_built_or_spelled_inside(path: Path) -> None:
    _, body = halves(path)
    for command, first in CALL.findall(body):
        if command not in CONTAINERS:
            assert not re.search(r'"|\.\.', first), f"{command} on {first}: keys come in KEYS"


def test_the_script_has_a_python_name(path: Path) -> None:
    package = path.parent.parent.relative_to(sources.ROOT).as_posix().replace("/", ".")
    call = re.compile(rf'Script(?:\[.*\])?\(\s*"{path.stem}",\s*package="{package}"')
    assert any(call.search(source.text) for source in sources.python_sources("apps")), (
        "no Script(...) loads it"
    )
