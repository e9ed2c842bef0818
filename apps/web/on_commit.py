"""Work after the commit of a transaction."""

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import ParamSpec

from django.db import transaction

Params = ParamSpec("Params")


def run_after_commit(act: Callable[Params, object], *arguments: Params.args, **named: Params.kwargs) -> None:
    """Call `act` once the transaction commits, or at once outside of one; errors are logged, not raised.

    The call keeps the function's name, which Django's log shows and a partial alone lacks.
    """
    transaction.on_commit(update_wrapper(partial(act, *arguments, **named), act), robust=True)
