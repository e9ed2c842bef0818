"""Commands leave the process in one place: no client, connection or socket is made elsewhere."""

import ast

from tests.checks import sources

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
