"""What happens to imports when an account is deleted: they stay, without the name of who uploaded them."""

from apps.accounts.deletion.rules import BATCH_SIZE, Erasure
from apps.imports.models import Import


def purge(user_id: int) -> int:
    """Take the person out of a batch of imports."""
    uploaded = list(Import.objects.filter(by=user_id).values_list("pk", flat=True)[:BATCH_SIZE])
    return Import.objects.filter(pk__in=uploaded).update(by=None)


ERASURE = Erasure(purge=purge)
