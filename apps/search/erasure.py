"""What search forgets when an account is deleted; the index itself follows the rows."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import Erasure
from apps.search.words import recent_searches
from apps.uv import recent


def purge(user_id: int) -> int:
    """Forget what the person searched for; this is no row, so it counts as none."""
    recent_searches.clear(recent.person_owner(user_id))
    return 0


ERASURE = Erasure(purge=purge, goes=(_("What you searched for."),))
