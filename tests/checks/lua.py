"""The statements of a Lua script, by a parser's syntax tree."""

from collections.abc import Iterator

import tree_sitter_lua
from tree_sitter import Language, Node, Parser

_parser = Parser(Language(tree_sitter_lua.language()))


def blocks(text: str, name: str) -> Iterator[list[Node]]:
    """The statements of each block, the script itself first; comments are none. Raises on what is no Lua."""
    root = _parser.parse(text.encode()).root_node
    assert not root.has_error, f"{name} is no valid Lua"
    yield from _blocks(root)


def _blocks(node: Node) -> Iterator[list[Node]]:
    if node.type in {"chunk", "block"}:
        yield [child for child in node.named_children if child.type != "comment"]
    for child in node.named_children:
        yield from _blocks(child)
