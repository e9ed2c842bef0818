"""A script's header and its body say the same; what a machine doesn't compare drifts apart."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.checks import sources

TYPES = "string|hash|list|set|zset|stream"
DECLARED = re.compile(rf"^-- (KEYS|ARGV)\[(\d+)(\.\.)?\] (?:({TYPES})\b)?.*", re.MULTILINE)
CALL = re.compile(r'redis\.p?call\(\s*"(\w+)"\s*,\s*([^,()]+)')
#: Their first argument is a word of the command or a channel, not a key.
CONTAINERS = {"XGROUP", "XINFO", "OBJECT", "MEMORY", "PUBSUB", "PUBLISH", "INFO"}

Complain = Callable[[Path], Iterator[str]]


def complaints(complain: Complain) -> str:
    """What is wrong with any script, a line each."""
    scripts = sources.files("*.lua", "apps")
    return "\n".join(f"{sources.display_path(path)}: {one}" for path in scripts for one in complain(path))


def halves(path: Path) -> tuple[str, str]:
    """The comment lines that open a script, and the code after them."""
    lines = sources.text(path).splitlines()
    first = next(number for number, line in enumerate(lines) if not line.startswith("--"))
    code = [line.partition("--")[0] for line in lines[first:]]
    return "\n".join(lines[:first]), "\n".join(code)


def test_header_and_body_name_the_same_arguments() -> None:
    assert not (wrong := complaints(compare_arguments)), wrong


def compare_arguments(path: Path) -> Iterator[str]:
    header, body = halves(path)
    for array in ("KEYS", "ARGV"):
        said = [match for match in DECLARED.findall(header) if match[0] == array]
        numbers = [int(number) for _, number, _, _ in said]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"{array} in the header: {numbers}"
        used = {int(number) for number in re.findall(rf"{array}\[(\d+)\]", body)}
        # "ARGV[3..]" stands for ARGV[3] and all after it, named one by one or walked.
        open_from = next((int(number) for _, number, dots, _ in said if dots), None)
        if unsaid := {number for number in used - set(numbers) if open_from is None or number < open_from}:
            yield f"{array} without a line in the header: {unsaid}"
        # "local sale, stock = unpack(KEYS, ...)" names them all by their place.
        named = re.search(rf"local \w+(, \w+)+ = unpack\({array}, ", body)
        if not named and not set(numbers) - used <= {open_from}:
            yield f"{array} of the header that no line uses"
        walked = re.search(rf"#{array}|\({array}[,)]|{array}\[[^\]]*[a-z]", body)
        if open_from not in used | {None} and not walked:
            yield f"{array}[{open_from}..] is never walked"


def test_header_says_purpose_types_and_answer() -> None:
    assert not (wrong := complaints(read_header)), wrong


def read_header(path: Path) -> Iterator[str]:
    header, _ = halves(path)
    if not re.match(r"-- [A-Z].*[.:]$", header.partition("\n")[0]):
        yield "the first line is a sentence of purpose"
    if not re.search(r"^-- Returns? \S", header, re.MULTILINE):
        yield 'the header says "Returns …"'
    untyped = [number for array, number, _, kind in DECLARED.findall(header) if array == "KEYS" and not kind]
    if untyped:
        yield f"KEYS{untyped} have no type"


def test_no_key_is_built_or_spelled_inside() -> None:
    assert not (wrong := complaints(find_own_keys)), wrong


def find_own_keys(path: Path) -> Iterator[str]:
    _, body = halves(path)
    for command, first in CALL.findall(body):
        if command not in CONTAINERS and re.search(r'"|\.\.', first):
            yield f"{command} on {first}: keys come in KEYS"


def test_every_script_has_a_python_name() -> None:
    assert not (wrong := complaints(look_for_wrapper)), wrong


def look_for_wrapper(path: Path) -> Iterator[str]:
    package = path.parent.parent.relative_to(sources.ROOT).as_posix().replace("/", ".")
    call = re.compile(rf'Script(?:\[.*\])?\(\s*"{path.stem}",\s*package="{package}"')
    if not any(call.search(source.text) for source in sources.python_sources("apps")):
        yield "no Script(...) loads it"
