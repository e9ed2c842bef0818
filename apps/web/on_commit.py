from collections.abc import Callable
from functools import partial, update_wrapper
from typing import ParamSpec

from django.db import transaction

Params = ParamSpec("Params")


def run_after_commit(act: Callable[Params, object], *arguments: Params.args, **named: Params.kwargs) -> None:
    """Call it once the transaction is committed, at once outside of one; its error is logged, not raised.

    Django names what failed, and a partial alone has no name.
    """
    transaction.on_commit(update_wrapper(partial(act, *arguments, **named), act), robust=True)
