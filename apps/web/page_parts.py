"""Parts of pages: inclusion tags that apps own and the project's templates name."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django.template import Context, Library
from django.template.base import Node, Parser, Token

Values = TypeVar("Values", bound=Callable[..., Any])

log = logging.getLogger(__name__)


def page_part(library: Library, template_name: str) -> Callable[[Values], Values]:
    """Register an inclusion tag that a page may lack: one that fails is logged and left out.

        @page_part(register, "coupons/_shop_vouchers.html")
        def vouchers(shop: Shop) -> dict[str, Any]: ...

    A page names it, `{% vouchers shop %}`. The function returns what its template shows; a template shows
    nothing where there is nothing to show.
    """

    def register(values: Values) -> Values:
        library.inclusion_tag(template_name)(values)
        leave_out_failures(library, values.__name__)
        return values

    return register


def leave_out_failures(library: Library, name: str) -> None:
    """Have the library's tag of that name show nothing when it fails, and log why."""
    compile_tag = library.tags[name]

    def compile_part(parser: Parser, token: Token) -> Node:
        return _PartNode(compile_tag(parser, token), name)

    library.tags[name] = compile_part


class _PartNode(Node):
    """A tag whose function and template may fail without the page."""

    def __init__(self, node: Node, name: str) -> None:
        self._node, self._name = node, name

    def render(self, context: Context) -> str:
        try:
            return self._node.render(context)
        except Exception:
            log.exception("page part %s failed", self._name)
            return ""
