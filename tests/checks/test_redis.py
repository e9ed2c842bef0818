"""Every Redis key is declared, every connection is made in one place, and a script's header is true."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from django.apps import apps

from apps.monitoring.rebuilding import REBUILDS
from apps.redis_kit import schema
from tests.checks import sources

APPS = sources.ROOT / "apps"
#: Writers that are no code of ours.
LIBRARIES = {"Celery", "Kombu", "Django"}

#: Calls that open a connection, or that send and read past the client.
OPENING = {
    "Redis",
    "StrictRedis",
    "RedisCluster",
    "Sentinel",
    "from_url",
    "from_pool",
    "Connection",
    "SSLConnection",
    "UnixDomainSocketConnection",
    "ConnectionPool",
    "BlockingConnectionPool",
    "make_connection",
    "send_command",
    "send_packed_command",
    "read_response",
    "socket",
    "socketpair",
    "create_connection",
    "create_unix_connection",
    "open_connection",
    "open_unix_connection",
}
ALLOWED = {
    "apps/redis_kit/client.py": "builds the clients",
    "apps/redis_kit/transport.py": "executes commands, in threads and in event loops",
    "apps/redis_kit/subscription.py": "holds a subscription, which is no exchange",
    "apps/redis_kit/observers.py": "is what the connections are made of",
    "apps/redis_kit/breaker.py": "is what the connections are made of",
    "apps/redis_kit/cluster_nodes.py": "is what the connections are made of",
    "apps/demo/embedded_redis.py": "asks the server that it starts whether it is alive",
    "apps/demo/launcher/start_checks.py": "probes whether a port is free",
    "apps/front/ready_signal.py": "tells systemd that the process is ready",
    "config/environment.py": "makes connections that never connect, and so refuse unknown options of a URL",
}
TYPES = "string|hash|list|set|zset|stream"
DECLARED = re.compile(rf"^-- (KEYS|ARGV)\[(\d+)(\.\.)?\] (?:({TYPES})\b)?.*", re.MULTILINE)
CALL = re.compile(r'redis\.p?call\(\s*"(\w+)"\s*,\s*([^,()]+)')
#: Their first argument is a word of the command or a channel, not a key.
CONTAINERS = {"XGROUP", "XINFO", "OBJECT", "MEMORY", "PUBSUB", "PUBLISH", "INFO"}
Complain = Callable[[Path], Iterator[str]]


def writer_exists(writer: str, app: str) -> bool:
    """Whether an app has the script `lua/name`, or the module, function or class `room.module.name`."""
    if writer in LIBRARIES:
        return True
    if writer.startswith("redis_kit."):
        return writer_exists(writer.removeprefix("redis_kit."), "redis_kit")
    if "lua/" in writer:
        return any(APPS.glob(f"{app}/**/{writer}.lua"))
    words = writer.split(".")
    return any(
        all(re.search(rf"^ *(async )?(def|class) {name}\b", file.read_text(), re.M) for name in words[depth:])
        for depth in range(1, len(words) + 1)
        for file in APPS.glob(f"{app}/**/{'/'.join(words[:depth])}.py")
    )


def test_every_rebuild_is_provided_and_has_keys() -> None:
    assert {source for source, _keys in schema.rebuilders()} == {name for name, _ in REBUILDS.items()}


def test_every_key_says_who_writes_it_and_when_it_ends() -> None:
    vague = [key.pattern for key in schema.declared() if not (key.writer and key.expiry and key.about)]
    assert not vague


def test_every_key_is_of_the_app_that_declares_it() -> None:
    ours = {key.app for key in schema.declared() if key.app != "kittest"}  # made up by tests
    assert ours <= {"kit", "django"} | {config.label for config in apps.get_app_configs()}


def test_every_writer_exists() -> None:
    """`writer` names scripts (lua/claim) and verbs (loading.load), parted by commas."""
    lost = [
        f"{key.pattern}: {writer}"
        for key in schema.declared()
        if key.app != "kittest"
        for writer in key.writer.split(", ")
        if not writer_exists(writer, "*" if key.app == "kit" else key.app)
    ]
    assert not lost, "\n".join(lost)


def test_no_connection_is_opened_elsewhere() -> None:
    opened = [
        f"{source.path}:{node.lineno} {name}"
        for source in sources.python_sources("apps", "config")
        if source.path not in ALLOWED
        for node in source.calls
        if (name := called_name(node)) in OPENING
    ]
    assert not opened, "\n".join(opened)


def test_what_is_allowed_exists_and_opens_something() -> None:
    by_path = {source.path: source for source in sources.python_sources("apps", "config")}
    for path in ALLOWED:
        calls = {called_name(node) for node in by_path[path].calls}
        bases = {base.attr for base in ast.walk(by_path[path].tree) if isinstance(base, ast.Attribute)}
        assert (calls | bases) & OPENING, path


def called_name(call: ast.Call) -> str:
    """The last word of what is called: "from_url" of redis.Redis.from_url(...)."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


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
