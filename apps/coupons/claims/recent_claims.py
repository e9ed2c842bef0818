"""The claims that this process has accepted last, so that it can put back what a lost Redis forgets.

SQL has an order some ten milliseconds after its claim, or much later when no consumer is there. A claim is
kept as the text of its receipt, with or without the signature; a refused claim costs nothing.
"""

from collections import deque
from datetime import timedelta

from django.utils import timezone

from apps.coupons.claims import receipts
from apps.coupons.claims.receipts import Receipt

#: 200 bytes each; the newest stay.
MAX_CLAIMS = 50_000
#: Older ones are rows, or nobody records orders and the receipts that buyers keep are what is left.
MAX_AGE = timedelta(hours=1)

_texts: deque[str] = deque(maxlen=MAX_CLAIMS)
#: Keep the claim of a receipt's text.
keep = _texts.append
#: Keep nothing of what was accepted so far.
forget_all = _texts.clear


def list_all() -> list[Receipt]:
    """The kept claims, each once, in the order in which they were accepted."""
    since = timezone.now() - MAX_AGE
    claims = {claim.order_id: claim for claim in map(receipts.parse, _texts.copy())}
    return [claim for claim in claims.values() if claim.accepted_at > since]
