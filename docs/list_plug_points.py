"""Prints every registry: what is registered in it, by which apps, and who reads it (`make plug-points`).

It reads the code and runs none of it: registries where they are declared, what is registered in each app's
provides.py.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Methods that read a registry.
READING = {"entries", "items", "get", "call_each", "notify"}
#: Registries in which one app registers, and why this is no argument, tag or import.
ONE_APP = {
    "follows.graph.FOLLOW_STARTED": "follows stand below the feed, whose inboxes they fill",
    "follows.graph.FOLLOW_ENDED": "follows stand below the feed, whose inboxes they empty",
    "queues.failed_tasks.TASK_FAILED": "queues stand below the outbox, which sends by their tasks",
}


@dataclass
class Registry:
    """A registry by its dotted name, with what is said of it, who registers in it and who reads it."""

    name: str
    about: str
    apps: set[str] = field(default_factory=set)
    readers: set[str] = field(default_factory=set)

    @property
    def short_name(self) -> str:
        return self.name.removeprefix("apps.")


class Module:
    """A module's tree, and what each name in it stands for: {"KINDS": "apps.moderation.kinds.KINDS"}."""

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, path.read_text()
        self.name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        self.tree = ast.parse(self.text)
        self.names = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    @property
    def app(self) -> str:
        return self.name.split(".")[1]

    def resolve(self, node: ast.expr) -> str:
        """The dotted name of an expression such as `kinds.KINDS`; "" for any other."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, f"{self.name}.{node.id}")
        if isinstance(node, ast.Attribute) and (owner := self.resolve(node.value)):
            return f"{owner}.{node.attr}"
        return ""

    @property
    def room(self) -> str:
        """The app with the folder that the module is in: "search.query"; without one with the module."""
        return ".".join(self.name.split(".")[1:3])

    def methods(self) -> Iterator[tuple[ast.expr, str]]:
        """(object, name) of each method that is named."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute):
                yield node.value, node.attr


class PlugPoints:
    """Every registry of the code; `elsewhere` are modules that register outside their app's provides.py."""

    def __init__(self) -> None:
        paths = sorted((ROOT / "apps").rglob("*.py")) + sorted((ROOT / "config").rglob("*.py"))
        modules = [Module(path) for path in paths if "migrations" not in path.parts]
        self._modules = {module.name: module for module in modules}
        self.registries = {found.name: found for module in modules for found in _declared(module)}
        self.registrations = 0
        self.elsewhere: list[str] = []
        for module in modules:
            self._read(module)

    def with_one_app(self) -> list[str]:
        """The registries that two apps should share and one has for itself."""
        return [one.short_name for one in self.registries.values() if len(one.apps) < 2]

    def _read(self, module: Module) -> None:
        for owner, method in module.methods():
            for registry in self._find(module.resolve(owner)):
                if method in READING:
                    registry.readers.add(module.room)
                elif method == "register" and module.name.endswith(".provides"):
                    registry.apps.add(module.app)
                    self.registrations += 1
                elif method == "register" and registry.name.rpartition(".")[0] != module.name:
                    self.elsewhere.append(f"{module.name}: {registry.short_name}")

    def _find(self, name: str) -> Iterator[Registry]:
        """The registry of a dotted name, which may be imported from its package, or be its module."""
        owner, _, last = name.rpartition(".")
        if name in self.registries:
            yield self.registries[name]
        elif owner in self._modules and last in self._modules[owner].names:
            yield from self._find(self._modules[owner].names[last])
        elif name in self._modules:
            own_functions = (
                node for node in self._modules[name].tree.body if isinstance(node, ast.FunctionDef)
            )
            if any(function.name == "register" for function in own_functions):
                yield from (one for key, one in self.registries.items() if key.rpartition(".")[0] == name)


def _declared(module: Module) -> Iterator[Registry]:
    """The registries that a module declares: NAME: Registry[Type] = Registry("what is registered")."""
    for node in module.tree.body:
        if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)):
            continue
        call = node.value
        if isinstance(call, ast.Call) and module.resolve(call.func) == "apps.web.registry.Registry":
            about = ast.literal_eval(call.args[0])
            yield Registry(f"{module.name}.{node.target.id}", about)


@cache
def find_points() -> PlugPoints:
    """The plug points of the code as it stands."""
    return PlugPoints()


def render() -> str:
    """The table of all registries, as Markdown."""
    points = find_points()
    lines = ["| registry | what is registered | by | read by |", "| --- | --- | --- | --- |"]
    for one in sorted(points.registries.values(), key=lambda one: one.name):
        apps = ", ".join(sorted(one.apps))
        if one.short_name in ONE_APP:
            apps += f" (alone: {ONE_APP[one.short_name]})"
        readers = ", ".join(sorted(one.readers))
        lines.append(f"| `{one.short_name}` | {one.about} | {apps} | {readers} |")
    counted = f"{points.registrations} registrations in {len(points.registries)} registries."
    return "\n".join([*lines, "", counted])


if __name__ == "__main__":
    print(render())
